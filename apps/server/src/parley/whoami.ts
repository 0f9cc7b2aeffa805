/** `parley_whoami`: who the server takes the caller for. */
import { defineToolFor } from '@parley/kit';
import * as z from 'zod';
import type { ParleyServices } from './services.ts';

/** Shows the caller, the organization and what the caller can reach. */
export const whoami = defineToolFor<ParleyServices>()({
  name: 'parley_whoami',
  title: 'Who am I',
  description:
    'Shows who you are here: caller, organization, roles, and how many tools of each toolset you have.',
  effect: 'read',
  input: z.object({}),
  output: z.object({
    caller: z.object({ id: z.string(), name: z.string(), unattended: z.boolean() }),
    organization: z.object({ id: z.string(), name: z.string() }),
    source: z.string(),
    roles: z.array(z.string()),
    toolsets: z.array(z.object({ name: z.string(), title: z.string(), tools: z.number().int() })),
  }),
  async run(_input, { caller, services }) {
    return {
      caller: { id: caller.id, name: caller.name, unattended: caller.unattended },
      organization: { id: caller.organizationId, name: await services.organizationName(caller) },
      source: caller.source,
      roles: [...caller.roles],
      toolsets: services.toolsetsOf(caller),
    };
  },
});
