/**
 * Patterns without case. The pattern is widened to every case of its letters and the text is left alone: engines
 * lower texts each in its own way, but they agree on what one character of a set is.
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
  return ['any', ...[...text].map((character) => ({ anyOf: classOf(character) })), 'any'];
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

/** The pattern as a regular expression of PostgreSQL; every character is written by its number, so that none has a meaning. */
export function toRegularExpression(pattern: Pattern): string {
  const steps = pattern.map((step) => {
    if (step === 'any') return '.*';
    return step === 'one' ? '.' : `[${step.anyOf.map(escaped).join('')}]`;
  });
  return `^${steps.join('')}$`;
}

function escaped(character: string): string {
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
}
