/** A note as a model needs it to begin: what is asked, where it stands, what was said; all else is asked for. */
import type { Annotation } from './shapes.ts';

/** How much of each note a list shows. */
export const DETAILS = ['lean', 'full'] as const;

/** How much of each note a list shows. */
export type Detail = (typeof DETAILS)[number];

/** A note as a list shows it. */
export type ShownNote = { readonly id: string } & Readonly<Record<string, unknown>>;

const NEARBY_CHARACTERS = 40;
const MAX_TARGETS = 10;

/** The lean form; fields have the names of the full one, and what is empty or as usual (pending, a change, important) is absent. */
export function leanNote(note: Annotation): ShownNote {
  const { intent, severity, nearbyText = '', targets = [], replies } = note;
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
    ...filled('nearbyText', shortened(nearbyText)),
    ...(targets.length > 1 && {
      targets: targets.slice(0, MAX_TARGETS).map(({ selector, sourceFile }) => ({
        selector,
        ...filled('sourceFile', sourceFile),
      })),
    }),
    ...filled('url', note.url),
    ...(note.screenshot !== undefined && { screenshot: note.screenshot }),
    ...(replies.length > 0 && { replies: replies.map(said) }),
  };
}

/** Who said what; an agent by its name, since several may have worked on the note. */
function said({ author, authorName, message }: Annotation['replies'][number]) {
  return { author, ...(author === 'agent' && filled('authorName', authorName)), message };
}

/** The form of a note for a detail. */
export function shapeOf(detail: Detail): (note: Annotation) => ShownNote {
  return detail === 'full' ? (note) => note : leanNote;
}

/** The size of a note for a detail, as JSON. */
export function sizeOf(detail: Detail): (note: Annotation) => number {
  const shape = shapeOf(detail);
  return (note) => JSON.stringify(shape(note)).length;
}

function filled(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === '' ? {} : { [name]: value };
}

/** Whole characters only: half of a pair is not text. */
function shortened(text: string): string {
  const plain = text.trim();
  if (plain.length <= NEARBY_CHARACTERS) return plain;
  return `${plain.slice(0, NEARBY_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
