/** What the tools share: ids, lists, and the mark of a list that was cut. */
import type { Context } from '@parley/kit';
import { defineToolFor } from '@parley/kit';
import * as z from 'zod';
import type { AnnotationServices } from '../services/index.ts';
import type { NoteList } from '../services/reading.ts';
import { Annotation } from '../shapes.ts';

/** Defines a tool of this toolset; each stamps the presence of its caller. */
export const defineTool = defineToolFor<AnnotationServices>();

/** The context of every tool here. */
export type ToolContext = Context<AnnotationServices>;

/** The id of a note. */
export const noteId = z.string().min(1).max(100).describe('Id of the annotation (ann_...)');

/** The id of a session. */
export const sessionId = z.string().min(1).max(100).describe('Id of the session (ses_...)');

/** The output of the tools that list notes. */
export const NoteListOutput = z.object({ annotations: z.array(Annotation).describe('Oldest first') });

/** Notes that the caller is there. */
export function stamp({ services, caller, request }: ToolContext): void {
  services.presence.stamp(caller, request.client);
}

/** The notes of a list; a list that was cut says so in `_meta`. */
export function shownNotes(list: NoteList, ctx: ToolContext): Annotation[] {
  if (list.isTruncated) ctx.addMeta({ truncated: true, count: list.total });
  return [...list.annotations];
}
