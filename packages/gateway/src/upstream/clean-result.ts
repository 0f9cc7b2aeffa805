/** What an upstream said, made fit to be passed on: nothing hidden or forged in it, and no secret of its connection or of another. */
import type { TextSearch } from '@parley/connections';
import { searchFor, UNSEEN_IN_RESULTS } from '@parley/connections';
import { hasOwnMeta, META, withoutOwnKeys } from './own-meta.ts';
import type { ForeignSecrets } from './secret-marks.ts';

const MASK = '[secret]';

/** Told how many secrets were cut out. */
export type OnSecrets = (count: number) => void;

/** The same value where there is nothing to do, which one look tells; else a copy without what must not pass. */
export function cleaned<T>(
  value: T,
  secrets: readonly string[],
  onSecrets?: OnSecrets,
  foreign?: ForeignSecrets,
): T {
  // The own ones first: those of others are known by their ends alone.
  const searches = foreign === undefined ? [searchFor(secrets)] : [searchFor(secrets), foreign];
  if (isClean(value, searches)) return value;
  let count = 0;
  const clean = (text: string): string => {
    let left = text;
    for (const search of searches) {
      const found = search.without(left, MASK);
      count += found.count;
      left = found.text;
    }
    return left.replaceAll(UNSEEN_IN_RESULTS, shownCharacter);
  };
  const copy = mapped(value, clean) as T; // the same shape, with other texts in it
  if (count > 0) onSecrets?.(count);
  return copy;
}

function isClean(value: unknown, searches: readonly TextSearch[]): boolean {
  if (typeof value === 'string') return isCleanText(value, searches);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!isClean(item, searches)) return false;
    return true;
  }
  for (const key in value) {
    const inner: unknown = Reflect.get(value, key);
    if (key === META && hasOwnMeta(inner)) return false;
    if (!isCleanText(key, searches) || !isClean(inner, searches)) return false;
  }
  return true;
}

function isCleanText(text: string, searches: readonly TextSearch[]): boolean {
  for (const search of searches) if (search.isIn(text)) return false;
  // A search begins at the start, whatever was found before.
  return text.search(UNSEEN_IN_RESULTS) === -1;
}

function mapped(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapped(item, clean));
  const entries = Object.entries(value);
  const keys = cleanKeys(
    entries.map(([key]) => key),
    clean,
  );
  return Object.fromEntries(
    entries.map(([key, item], at) => [
      keys[at] ?? key,
      mapped(key === META ? withoutOwnKeys(item) : item, clean),
    ]),
  );
}

/** The names of fields without what must not pass; those that would be equal then get a number. */
function cleanKeys(keys: readonly string[], clean: (text: string) => string): string[] {
  const all = keys.map(clean);
  // What was clean keeps its name.
  const taken = new Set(all.filter((key, at) => key === keys[at]));
  const next = new Map<string, number>();
  return all.map((key, at) => {
    if (key === keys[at]) return key;
    let free = key;
    let number = next.get(key) ?? 2;
    for (; taken.has(free); number += 1) free = `${key}_${number}`;
    next.set(key, number);
    taken.add(free);
    return free;
  });
}

function shownCharacter(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}
