/** What the tools share: ids, outputs, lists that say when they were cut, and the agent behind a call. */
import type { Context } from '@parley/kit';
import { defineToolWith, GivenId } from '@parley/kit';
import * as z from 'zod';
import type { Detail, ShownNote } from '../lean.ts';
import { DETAILS, shapeOf } from '../lean.ts';
import type { Agent } from '../services/holder.ts';
import type { AnnotationServices } from '../services/index.ts';
import type { NoteList } from '../services/reading.ts';
import type { Annotation } from '../shapes.ts';
import { STATUSES } from '../shapes.ts';

/** Defines a tool for agents: each call notes that its agent is there, and `run` is given that agent. */
export const defineTool = defineToolWith(enter);

/** The context of every tool and document here. */
export type ToolContext = Pick<
  Context<AnnotationServices>,
  'services' | 'caller' | 'request' | 'connection' | 'addMeta' | 'progress'
>;

export const noteId = GivenId.describe('Its id (ann_...)');

export const sessionId = GivenId.describe('Its id (ses_...)');

/** How much of each note. */
export const detail = z.enum(DETAILS).default('lean').describe('full adds markup, styles, props and more');

/** A note; the fields depend on the detail, so only the id is promised. */
export const ShownNoteOutput = z.looseObject({ id: z.string() });

export const NoteListOutput = z.object({
  annotations: z.array(ShownNoteOutput),
  more: z.string().optional(),
});

/** The output of the tools that act: what changed, beside the id and the status. */
export const ActionOutput = z.looseObject({ id: z.string(), status: z.enum(STATUSES) });

/** The agent behind a call. */
export function agentOf({ caller, request, connection }: ToolContext): Agent {
  return { ...caller, client: request.client, connection };
}

/** Notes that the agent is there, and that what it holds is still its own. */
async function enter(ctx: Context<AnnotationServices>): Promise<Agent> {
  const agent = agentOf(ctx);
  ctx.services.presence.stamp(ctx.caller, ctx.request.client);
  await ctx.services.leases.renew(agent);
  return agent;
}

// Unread words that stand before the shown end of a thread: enough to get on with each answer.
const MAX_WORDS_CHARACTERS = 5000;

/** A list for a model; one that was cut says so in words, and in `_meta` for programs. */
export async function shownList(
  list: NoteList,
  ctx: ToolContext,
  { agent, how, rest }: { agent: Agent; how: Detail; rest: string },
): Promise<{ annotations: ShownNote[]; more?: string }> {
  const shown = list.annotations.map(shapeOf(how));
  const withGap = await ctx.services.words.show(agent, shown);
  const words =
    withGap === undefined ? [] : await ctx.services.words.take(agent, withGap, MAX_WORDS_CHARACTERS);
  const annotations = shown.map((note) => (note.id === withGap ? { ...note, words } : note));
  if (!list.isTruncated) return { annotations };
  ctx.addMeta({ truncated: true, count: list.total });
  return { annotations, more: cutNotice(annotations.length, list.total, rest) };
}

/** The words for a list that was cut. */
export function cutNotice(shown: number, total: number, rest: string): string {
  return `Shown are ${shown} of ${total}. ${rest}`;
}

/** The bare array, and behind it what has to be said about it. */
export function arrayContent(items: readonly unknown[], more: string | undefined) {
  const texts = [JSON.stringify(items), ...(more === undefined ? [] : [more])];
  return texts.map((text) => ({ type: 'text' as const, text }));
}

/** What an action changed; words of the person that the agent has not been shown come with it. */
export async function changed(
  note: Annotation,
  ctx: ToolContext,
  { agent, said, ...facts }: { agent: Agent; said: string | undefined } & Readonly<Record<string, unknown>>,
) {
  const last = note.replies.at(-1);
  const words = await ctx.services.words.take(agent, note.id);
  return {
    id: note.id,
    status: note.status,
    ...facts,
    ...(last !== undefined &&
      last.message === said && { reply: { id: last.id, author: last.author, message: last.message } }),
    ...(words.length > 0 && { words }),
  };
}
