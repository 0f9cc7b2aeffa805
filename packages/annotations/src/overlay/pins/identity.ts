/** Owns what makes an element itself: its text, its row and its neighbours, but not its position. */
import { keySelector } from '../capture/selector.ts';
import { equalsOf, nearbyTextOf, rowOf, visibleText } from '../capture/text.ts';

const MAX_TEXT = 400;

/** What an element says, by which it is known again. */
export interface Identity {
  readonly tag: string;
  readonly text: string;
  readonly nearby: string;
  /** The text is only the beginning, since the snapshot was cut. */
  readonly isCut?: boolean;
}

/** Reads the identity of an element now. */
export function identityOf(element: Element): Identity {
  return {
    tag: element.localName,
    text: visibleText(element, MAX_TEXT, true),
    nearby: nearbyTextOf(element),
  };
}

/** The identity that a note carries: what its snapshot says and what stood around it. */
export function identityOfNote(note: { domSnapshot: string; nearbyText?: string | undefined }): Identity {
  const tag = /^<([^\s>]+)/.exec(note.domSnapshot)?.[1] ?? '*';
  const text = note.domSnapshot
    .replace(/<!--.*?-->/g, ' ')
    .replace(/<(script|style|noscript|template|textarea)[^>]*>.*?<\/\1>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();
  const isCut = note.domSnapshot.endsWith('<!-- truncated -->');
  // A cut may fall into the middle of a tag or a word's entity.
  const whole = isCut ? text.replace(/[<&][^<&]{0,200}$/, '').trim() : text;
  return { tag, text: whole.slice(0, MAX_TEXT), nearby: note.nearbyText ?? '', isCut };
}

/** How sure it is that an element is the one meant. */
export type Match = 'same' | 'changed' | 'other';

/** Compares an element with an identity; in a list, a different text means a different row. */
export function compare(element: Element, wanted: Identity): Match {
  if (wanted.tag !== '*' && element.localName !== wanted.tag) return 'other';
  const now = identityOf(element);
  const row = rowOf(element);
  const isSameText = wanted.isCut ? now.text.startsWith(wanted.text) : now.text === wanted.text;
  if (row === null) return isSameText ? 'same' : 'changed';
  if (hasKey(element, row)) return isSameText ? 'same' : 'changed';
  if (row === element) return isSameText ? 'same' : 'other';
  if (isSameText && now.nearby === wanted.nearby) return 'same';
  return rest(now) !== '' && rest(now) === rest(wanted) ? 'changed' : 'other';
}

// A key between the element and its row names it whatever the row's position.
function hasKey(element: Element, row: Element): boolean {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (keySelector(at) !== null && isKeyUnique(at)) return true;
    if (at === row) return false;
  }
  return false;
}

function isKeyUnique(element: Element): boolean {
  const key = keySelector(element);
  return key !== null && equalsOf(element).filter((other) => keySelector(other) === key).length === 1;
}

// What the row says besides the element itself.
function rest({ text, nearby }: Identity): string {
  return text === '' ? nearby : nearby.replace(text, '').trim();
}

/** The texts of an element's row and of the rows beside it. */
export interface RowTexts {
  readonly own: string;
  readonly others: ReadonlySet<string>;
}

/** Reads the row's texts; undefined outside of lists. */
export function rowTextsOf(element: Element): RowTexts | undefined {
  const row = rowOf(element);
  if (row === null) return undefined;
  const others = equalsOf(row).filter((other) => other !== row);
  return {
    own: visibleText(row, MAX_TEXT),
    others: new Set(others.slice(0, 500).map((other) => visibleText(other, MAX_TEXT))),
  };
}
