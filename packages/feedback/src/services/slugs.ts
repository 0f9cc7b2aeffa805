/** Slugs: made from a name where none is given, and free in their organization. */
import { conflict } from '../faults.ts';

/** How the slugs of a noun look. */
export interface SlugForm {
  readonly noun: string;
  readonly joint: '-' | '_';
  readonly maxLength: number;
}

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** The slug of a name: plain letters and digits; the noun itself when nothing is left. */
export function slugOf(name: string, { noun, joint, maxLength }: SlugForm): string {
  const plain = name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter);
  const words = plain.match(/[a-z0-9]+/g) ?? [noun];
  return cut(words.join(joint), maxLength, joint);
}

function cut(slug: string, length: number, joint: string): string {
  const short = slug.slice(0, length);
  return short.endsWith(joint) ? short.slice(0, -joint.length) : short;
}

/** What is wrong with a slug that somebody else has. */
export function slugTaken(noun: string, slug: string): string {
  return `A ${noun} with the slug "${slug}" exists already`;
}

/** What a row is inserted with. */
export interface SlugClaim {
  readonly form: SlugForm;
  readonly name: string;
  readonly given: string | undefined;
  /** The slugs in use that begin with a text; it may answer more. */
  taken(beginning: string): Promise<readonly string[]>;
  /** False when the slug is in use. */
  insert(slug: string): Promise<boolean>;
}

/** Inserts with the slug that was given, or with the first free one made from the name: `ideas`, `ideas-2`, `ideas-3`. */
export async function insertWithSlug({ form, name, given, taken, insert }: SlugClaim): Promise<void> {
  if (given !== undefined) {
    if (await insert(given)) return;
    throw conflict(slugTaken(form.noun, given));
  }
  const base = slugOf(name, form);
  // A long name is cut to make room for the number, so fewer characters are looked for.
  const used = new Set(await taken(base.slice(0, form.maxLength - MAX_NUMBER_LENGTH)));
  for (let number = 1; ; number += 1) {
    const slug = number === 1 ? base : numbered(base, number, form);
    // Somebody else may take it between the look and the write; then the next one is tried.
    if (!used.has(slug) && (await insert(slug))) return;
  }
}

const MAX_NUMBER_LENGTH = 10;

function numbered(base: string, number: number, { joint, maxLength }: SlugForm): string {
  const end = `${joint}${number}`;
  return cut(base, maxLength - end.length, joint) + end;
}
