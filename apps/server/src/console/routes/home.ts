/** The first screen, and the numbers beside the entries of the rail. */
import { one } from '@parley/http/rest';
import * as z from 'zod';
import { healthFor } from '../health.ts';
import { callsOfDay, lastChanges } from '../home.ts';
import { defineRoute } from '../scope.ts';
import { countsFor, waitingFor } from '../waiting.ts';

const Home = z.object({
  waiting: z.array(
    z.object({ kind: z.string(), entry: z.string(), count: z.int(), href: z.string(), title: z.string() }),
  ),
  health: z.array(
    z.object({
      part: z.string(),
      state: z.enum(['ok', 'warning', 'down']),
      reason: z.string(),
      fix: z.string().optional(),
    }),
  ),
  calls: z
    .object({
      points: z
        .array(z.object({ at: z.iso.datetime(), calls: z.int(), errors: z.int() }))
        .describe('By hour'),
    })
    .nullable()
    .describe('null: not shown to this person'),
  recent: z
    .array(z.object({ at: z.iso.datetime(), who: z.string(), what: z.string(), href: z.string().nullable() }))
    .nullable()
    .describe('null: not shown to this person'),
});

export const homeRoutes = [
  defineRoute({
    method: 'GET',
    path: '/home',
    summary: 'What waits, how the parts do, the calls of a day and the last changes',
    who: 'person',
    isQuiet: true,
    answer: one('Home', Home),
    async run({ host, caller }) {
      const [waiting, health, points, recent] = await Promise.all([
        waitingFor(host, caller),
        healthFor(host, caller),
        callsOfDay(host, caller),
        lastChanges(host, caller),
      ]);
      return { waiting, health, calls: points && { points }, recent };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/counts',
    summary: 'What waits behind each entry of the rail',
    who: 'person',
    isQuiet: true,
    answer: one('Counts', z.record(z.string(), z.int())),
    run: ({ host, caller }) => countsFor(host, caller),
  }),
];
