/**
 * Patterns without case. Engines lower texts each in its own way, so none is asked to: a pattern knows every case of
 * its own letters, and the rest of the text does not matter.
 */
import { classOf } from './case-classes.ts';

/** One step of a pattern: a character in any case, any one character, or any number of them. */
type Step = { readonly anyOf: readonly string[] } | 'one' | 'any';

/** A pattern that covers the whole text. */
export type Pattern = readonly Step[];

/** The steps of a `like`: `%` and `_` are wildcards unless a backslash stands before them. */
export function likePattern(text: string): Pattern {
  return (text.match(/\\[%_\\]|[^]/gu) ?? []).map((part) => {
    if (part === '%') return 'any';
    return part === '_'
      ? 'one'
      : { anyOf: classOf(part.length === 2 && part.startsWith('\\') ? part.slice(1) : part) };
  });
}

/** The steps of a `contains`: the text stands anywhere. */
export function containsPattern(text: string): Pattern {
  return ['any', ...Array.from(text, (character) => ({ anyOf: classOf(character) })), 'any'];
}

/** The pattern as SQLite's GLOB, which minds case. */
export function toGlob(pattern: Pattern): string {
  return pattern
    .map((step) => {
      if (step === 'any') return '*';
      if (step === 'one') return '?';
      const [only = '', ...others] = step.anyOf;
      return others.length === 0 && !'*?['.includes(only) ? only : `[${step.anyOf.join('')}]`;
    })
    .join('');
}

/** A LIKE that minds case, and which characters of the text are first written as others. */
export interface TranslatedLike {
  readonly from: string;
  readonly to: string;
  readonly like: string;
}

/**
 * The pattern for PostgreSQL: only the letters of the pattern are brought to one case in the text. Regular expressions
 * would do too, but a server keeps few of them, and a filter with more would compile them anew for every row.
 */
export function toTranslatedLike(pattern: Pattern): TranslatedLike {
  const written = new Map<string, string>();
  const like = pattern.map((step) => {
    if (step === 'any') return '%';
    if (step === 'one') return '_';
    const [standIn = '', ...others] = step.anyOf;
    for (const other of others) written.set(other, standIn);
    return '%_\\'.includes(standIn) ? `\\${standIn}` : standIn;
  });
  return { from: [...written.keys()].join(''), to: [...written.values()].join(''), like: like.join('') };
}
