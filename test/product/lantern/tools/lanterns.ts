/** Tools for lanterns. */
import { defineToolFor } from '@parley/kit';
import * as z from 'zod';
import type { Lanterns } from '../services.ts';

const defineTool = defineToolFor<Lanterns>();

export const light = defineTool({
  name: 'light_lantern',
  title: 'Light a lantern',
  description: 'Lights a lantern.',
  effect: 'create',
  input: z.object({}),
  output: z.object({ oil: z.number() }),
  run: (_input, { services, caller }) => services.light(caller.organizationId),
});

/** Counts them. */
export const count = defineTool({
  name: 'count_lanterns',
  title: 'Count lanterns',
  description: 'Counts the lanterns that are lit.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ lit: z.number() }),
  run: (_input, { services, caller }) => services.count(caller.organizationId),
});
