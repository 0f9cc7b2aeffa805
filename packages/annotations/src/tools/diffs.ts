/** Tools for changes that the person wants to see first. */
import * as z from 'zod';
import { DEFAULT_DIFF_TIMEOUT_MS } from '../limits.ts';
import { ActionOutput, changed, defineTool, noteId } from './shapes.ts';
import { whileWatching } from './waiting.ts';

/** Shows the person what would be changed. */
export const proposeDiff = defineTool({
  name: 'propose_diff',
  title: 'Propose a diff',
  description:
    'Shows the person a unified diff before anything is written; a second one replaces it. Then call watch_diff_response.',
  effect: 'update',
  input: z.object({
    id: noteId,
    diff: z.string().min(1).max(200_000).describe('The change as a unified diff'),
    message: z.string().max(10_000).optional().describe('A word about it'),
  }),
  output: ActionOutput,
  async run({ id, diff, message }, ctx, agent) {
    const note = await ctx.services.diffs.propose(agent, id, diff, message);
    const { diffRevision, diffResponse } = note;
    return changed(note, ctx, { agent, said: message, diffRevision, ...(diffResponse && { diffResponse }) });
  },
});

/** Waits for the person's answer. */
export const watchDiffResponse = defineTool({
  name: 'watch_diff_response',
  title: 'Watch for the answer to a diff',
  description:
    'Waits until the person approves or rejects the diff. An answer that is there is returned at once.',
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
    message: z.string().optional(),
  }),
  async run({ id, timeoutMs }, ctx, agent) {
    const { services, signal } = ctx;
    const answer = await whileWatching(ctx, agent, () =>
      services.diffs.watch(agent, id, { timeoutMs, signal }),
    );
    if (answer === undefined) return { status: 'timeout' as const };
    // The words that came with the answer stand in the thread too, and count as shown now.
    const words = await services.words.take(agent, id);
    const isAmong = answer.message === undefined || words.includes(answer.message);
    const said = isAmong ? words : [answer.message, ...words];
    return { status: answer.status, ...(said.length > 0 && { message: said.join('\n\n') }) };
  },
});
