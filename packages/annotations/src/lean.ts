/** A note as a model needs it to begin: what is asked, where it stands, what was said; all else is asked for. */
import type { Annotation } from './shapes.ts';
import type { ThreadCut } from './threads.ts';
import { cutThread, FULL_THREAD, LEAN_THREAD, shortened } from './threads.ts';

/** How much of each note a list shows. */
export const DETAILS = ['lean', 'full'] as const;

/** How much of each note a list shows. */
export type Detail = (typeof DETAILS)[number];

/** A note as a list shows it. */
export interface ShownNote extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly replies?: readonly { readonly message: string }[];
  readonly repliesBefore?: number | undefined;
}

const NEARBY_CHARACTERS = 40;
const MAX_TARGETS = 10;

/** The lean form; fields have the names of the full one, and what is empty or as usual (pending, a change, important) is absent. */
export function leanNote(note: Annotation): ShownNote {
  const { intent, severity, nearbyText = '', targets = [] } = note;
  const { replies, repliesBefore } = cutThread(note, LEAN_THREAD);
  return {
    id: note.id,
    number: note.number,
    ...(note.status !== 'pending' && { status: note.status }),
    annotationText: note.annotationText,
    ...(intent !== 'change' && { intent }),
    ...(severity !== 'important' && { severity }),
    ...filled('selectionText', note.selectionText),
    ...filled('sourceFile', note.sourceFile),
    ...filled('templateFile', note.templateFile),
    ...filled('componentName', note.componentName),
    ...filled('element', note.element),
    ...filled('selector', note.selector),
    ...filled('nearbyText', shortened(nearbyText.trim(), NEARBY_CHARACTERS)),
    ...(targets.length > 1 && {
      targets: targets.slice(0, MAX_TARGETS).map(({ selector, sourceFile }) => ({
        selector,
        ...filled('sourceFile', sourceFile),
      })),
    }),
    ...filled('url', note.url),
    ...(note.screenshot !== undefined && { screenshot: note.screenshot }),
    ...(repliesBefore !== undefined && { repliesBefore }),
    ...(replies.length > 0 && { replies: replies.map(said) }),
  };
}

/** Who said what; an agent by its name, since several may have worked on the note. */
function said({ author, authorName, message }: Annotation['replies'][number]) {
  return { author, ...(author === 'agent' && filled('authorName', authorName)), message };
}

// Half of a list, so that no note takes the place of every other one; and all of it, for one with a long diff.
const FULL_BYTES = 150_000;
const MAX_FULL_BYTES = 300_000;
const SHORTER_THREAD = { replies: 10, characters: 30_000 };

/** All of a note, with less of its thread when it is large; the lean form when even that is too much for one answer. */
export function fullNote(note: Annotation): ShownNote {
  const full = cutThread(note, FULL_THREAD);
  if (jsonBytes(full) <= FULL_BYTES) return full;
  const shorter = cutThread(note, SHORTER_THREAD);
  return jsonBytes(shorter) <= MAX_FULL_BYTES ? shorter : leanNote(note);
}

/** The form of a note for a detail. */
export function shapeOf(detail: Detail): (note: Annotation) => ShownNote {
  return detail === 'full' ? fullNote : leanNote;
}

/** The size of a note for a detail, as JSON. */
export function sizeOf(detail: Detail): (note: Annotation) => number {
  const shape = shapeOf(detail);
  return (note) => jsonBytes(shape(note));
}

/** How lists read notes for a detail. */
export function shownAs(detail: Detail): { sizeOf: (note: Annotation) => number; thread: ThreadCut } {
  return { sizeOf: sizeOf(detail), thread: detail === 'full' ? FULL_THREAD : LEAN_THREAD };
}

/** The size of something as JSON. */
export function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function filled(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === '' ? {} : { [name]: value };
}
