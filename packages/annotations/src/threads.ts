/** How much of a thread is shown: its end, since that is what is being talked about. */
import type { Annotation } from './shapes.ts';

/** The most of a thread that is shown. */
export interface ThreadCut {
  readonly replies: number;
  readonly characters: number;
}

/** For a model that begins. */
export const LEAN_THREAD: ThreadCut = { replies: 10, characters: 5000 };

/** For a page, and for a model that asks for more. */
export const FULL_THREAD: ThreadCut = { replies: 50, characters: 100_000 };

/** For the document of one note: all that may be written, and what Parley and closing agents add to it. */
export const WHOLE_THREAD: ThreadCut = { replies: 1000, characters: 600_000 };

/** The note with the end of its thread; the last reply is always there, shortened where it has to be. */
export function cutThread(note: Annotation, cut: ThreadCut): Annotation {
  const { replies, repliesBefore = 0 } = note;
  let characters = 0;
  let first = replies.length;
  while (first > 0 && replies.length - first < cut.replies) {
    characters += replies[first - 1]?.message.length ?? 0;
    if (characters > cut.characters && first < replies.length) break;
    first -= 1;
  }
  const isWhole = first === 0 && characters <= cut.characters;
  if (isWhole) return note;
  const before = repliesBefore + first;
  return {
    ...note,
    replies: replies
      .slice(first)
      .map((reply) => ({ ...reply, message: shortened(reply.message, cut.characters) })),
    ...(before > 0 && { repliesBefore: before }),
  };
}

/** Whole characters only: half of a pair is not text. */
export function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return `${text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
