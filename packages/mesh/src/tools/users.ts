/** Tools on people. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';

export const userGet = defineTool({
  name: 'USER_GET',
  title: 'Get User',
  description: 'One person who shares your organization.',
  effect: 'read',
  input: z.object({ id: Id }),
  output: z.object({
    user: z
      .object({
        id: z.string(),
        name: z.string(),
        email: z.string().nullable(),
        image: z.string().nullable(),
      })
      .nullable(),
  }),
  run: async ({ id }, { services, caller }) => ({
    user: await services.people.find(caller.organizationId, id),
  }),
});
