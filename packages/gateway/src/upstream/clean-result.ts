/** What an upstream said, made fit to be passed on: nothing hidden in it, and no secret of its connection. */

/** What nobody sees, or what turns the direction of text; without what emoji and the scripts of some languages need. */
const HIDDEN_RANGES = [
  [0xad], // soft hyphen
  [0x61c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x180e],
  [0x200b], // zero width space
  [0x200e, 0x200f], // marks of direction
  [0x202a, 0x202e], // embeddings and overrides of direction
  [0x2060, 0x206f], // word joiner, isolates of direction, and what is no longer used
  [0x3164],
  [0xfeff], // zero width no-break space
  [0xffa0],
  [0xfff9, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe007f], // tags
  [0xe0100, 0xe01ef], // selectors of variants, which can carry any bytes
] as const;
const escaped = (code: number) => `\\u{${code.toString(16)}}`;
const HIDDEN = new RegExp(`[${HIDDEN_RANGES.map((range) => range.map(escaped).join('-')).join('')}]`, 'u');
const EVERY_HIDDEN = new RegExp(HIDDEN, 'gu');
const MASK = '[secret]';

/** Told how many secrets were cut out. */
export type OnSecrets = (count: number) => void;

/** The same value where there is nothing to do, which one look tells; else a copy without what must not pass. */
export function cleaned<T>(value: T, secrets: readonly string[], onSecrets?: OnSecrets): T {
  if (isClean(value, secrets)) return value;
  let count = 0;
  const clean = (text: string): string => {
    let left = text;
    for (const secret of secrets) {
      if (!left.includes(secret)) continue;
      const parts = left.split(secret);
      count += parts.length - 1;
      left = parts.join(MASK);
    }
    return left.replace(EVERY_HIDDEN, shownCharacter);
  };
  const copy = mapped(value, clean) as T; // the same shape, with other texts in it
  if (count > 0) onSecrets?.(count);
  return copy;
}

function isClean(value: unknown, secrets: readonly string[]): boolean {
  if (typeof value === 'string') return isCleanText(value, secrets);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!isClean(item, secrets)) return false;
    return true;
  }
  for (const key in value)
    if (!isCleanText(key, secrets) || !isClean(Reflect.get(value, key), secrets)) return false;
  return true;
}

function isCleanText(text: string, secrets: readonly string[]): boolean {
  for (const secret of secrets) if (text.includes(secret)) return false;
  return !HIDDEN.test(text);
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
  return Object.fromEntries(entries.map(([key, item], at) => [keys[at] ?? key, mapped(item, clean)]));
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
