/** Tools for changes that the person wants to see first. */
import * as z from 'zod';
import { DEFAULT_DIFF_TIMEOUT_MS } from '../limits.ts';
import { Annotation } from '../shapes.ts';
import { defineTool, noteId, stamp } from './shapes.ts';
import { whileWatching } from './waiting.ts';

/** Shows the person what would be changed. */
export const proposeDiff = defineTool({
  name: 'propose_diff',
  title: 'Propose a diff',
  description:
    'Shows the person a unified diff for an annotation before anything is written; a second proposal replaces the first. Then call watch_diff_response.',
  effect: 'update',
  input: z.object({
    id: noteId,
    diff: z.string().min(1).max(200_000).describe('The change as a unified diff'),
    message: z.string().max(10_000).optional().describe('A word about it, stored as a reply'),
  }),
  output: Annotation,
  async run({ id, diff, message }, ctx) {
    stamp(ctx);
    return ctx.services.diffs.propose(ctx.caller, id, diff, message);
  },
});

/** Waits for the person's answer. */
export const watchDiffResponse = defineTool({
  name: 'watch_diff_response',
  title: 'Watch for the answer to a diff',
  description:
    'Waits until the person approves or rejects the proposed diff of an annotation. An answer that is there already is returned at once.',
  effect: 'read',
  input: z.object({
    id: noteId,
    timeoutMs: z
      .int()
      .min(0)
      .max(600_000)
      .default(DEFAULT_DIFF_TIMEOUT_MS)
      .describe('How long to wait at most'),
  }),
  output: z.object({
    status: z.enum(['approved', 'rejected', 'timeout']),
    message: z.string().optional().describe("The person's words"),
  }),
  async run({ id, timeoutMs }, ctx) {
    const { services, caller, signal } = ctx;
    const answer = await whileWatching(ctx, () => services.diffs.watch(caller, id, { timeoutMs, signal }));
    return answer ?? { status: 'timeout' as const };
  },
});
