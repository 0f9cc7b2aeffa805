/** Tools that act on one annotation. */
import * as z from 'zod';
import { Annotation, words } from '../shapes.ts';
import { defineTool, noteId, stamp } from './shapes.ts';

/** Takes a note up; only one caller can. */
export const acknowledge = defineTool({
  name: 'acknowledge',
  title: 'Acknowledge an annotation',
  description:
    'Takes up a pending annotation, so that the person sees that it is being worked on. Fails with a conflict when somebody has it already.',
  effect: 'update',
  hints: { idempotentHint: false },
  input: z.object({
    id: noteId,
    message: z.string().max(10_000).optional().describe('A first word to the person, stored as a reply'),
  }),
  output: Annotation,
  async run({ id, message }, ctx) {
    stamp(ctx);
    return ctx.services.agent.acknowledge(ctx.caller, id, message);
  },
});

/** Closes a note as done. */
export const resolve = defineTool({
  name: 'resolve',
  title: 'Resolve an annotation',
  description: 'Closes an annotation because what it asks for is done.',
  effect: 'update',
  input: z.object({
    id: noteId,
    summary: z.string().max(10_000).optional().describe('What was done, in one sentence; stored as a reply'),
  }),
  output: Annotation,
  async run({ id, summary }, ctx) {
    stamp(ctx);
    return ctx.services.agent.resolve(ctx.caller, id, summary);
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
    reason: words(10_000).describe('Why it will not be done; stored as a reply'),
  }),
  output: Annotation,
  async run({ id, reason }, ctx) {
    stamp(ctx);
    return ctx.services.agent.dismiss(ctx.caller, id, reason);
  },
});

/** Says something without changing the status. */
export const reply = defineTool({
  name: 'reply',
  title: 'Reply to an annotation',
  description: 'Adds a message to the thread of an annotation. Its status stays as it is.',
  effect: 'create',
  input: z.object({ id: noteId, message: words(10_000).describe('The message to the person') }),
  output: Annotation,
  async run({ id, message }, ctx) {
    stamp(ctx);
    return ctx.services.agent.reply(ctx.caller, id, message);
  },
});
