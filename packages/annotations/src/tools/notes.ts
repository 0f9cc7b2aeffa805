/** Tools that act on one annotation. */
import * as z from 'zod';
import { words } from '../shapes.ts';
import { ActionOutput, changed, defineTool, noteId } from './shapes.ts';

/** Takes a note up; only one caller can. */
export const acknowledge = defineTool({
  name: 'acknowledge',
  title: 'Acknowledge an annotation',
  description:
    'Takes up a pending annotation. You hold it until you close it, go away, or are silent for long. A conflict: another agent holds it. "words" are the person\'s replies.',
  effect: 'update',
  hints: { idempotentHint: false },
  input: z.object({
    id: noteId,
    message: z.string().max(10_000).optional().describe('A first word to the person'),
    takeover: z.boolean().optional().describe('Take it from an agent that is gone'),
  }),
  output: ActionOutput,
  async run({ id, message, takeover = false }, ctx, agent) {
    const note = await ctx.services.agent.acknowledge(agent, id, message, { takeover });
    // A list may have shown the instruction as it was before the person changed it.
    const edited = note.editedAt !== undefined && { annotationText: note.annotationText };
    return changed(note, ctx, { agent, said: message, ...edited });
  },
});

/** Closes a note as done. */
export const resolve = defineTool({
  name: 'resolve',
  title: 'Resolve an annotation',
  description:
    'Closes an annotation that is done. A conflict shows what the person wrote meanwhile, or who holds it.',
  effect: 'update',
  input: z.object({
    id: noteId,
    summary: z.string().max(10_000).optional().describe('What was done, in one sentence'),
  }),
  output: ActionOutput,
  async run({ id, summary }, ctx, agent) {
    const note = await ctx.services.agent.resolve(agent, id, summary);
    return changed(note, ctx, { agent, said: summary });
  },
});

/** Closes a note as not to be done. */
export const dismiss = defineTool({
  name: 'dismiss',
  title: 'Dismiss an annotation',
  description: 'Closes an annotation that will not be done, and tells the person why.',
  effect: 'update',
  input: z.object({
    id: noteId,
    reason: words(10_000).describe('Why it will not be done'),
  }),
  output: ActionOutput,
  async run({ id, reason }, ctx, agent) {
    const note = await ctx.services.agent.dismiss(agent, id, reason);
    return changed(note, ctx, { agent, said: reason });
  },
});

/** Says something without changing the status. */
export const reply = defineTool({
  name: 'reply',
  title: 'Reply to an annotation',
  description: 'Adds a message to the thread of an annotation. Its status stays as it is.',
  effect: 'create',
  input: z.object({ id: noteId, message: words(10_000).describe('The message to the person') }),
  output: ActionOutput,
  async run({ id, message }, ctx, agent) {
    const note = await ctx.services.agent.reply(agent, id, message);
    return changed(note, ctx, { agent, said: message });
  },
});
