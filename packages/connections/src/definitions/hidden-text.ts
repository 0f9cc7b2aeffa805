/** Text that people do not see as it is: characters without a shape, and such as turn the direction of others. */

// Controls other than tab and line ends; soft hyphen and fillers, direction marks, zero-width characters, invisible
// operators, tags, and selectors that carry data.
const UNSEEN =
  /[[\p{Cc}--[\t\n\r]][\u034F][\u17B4-\u17B5][\u180B-\u180F]\u00AD\u061C\u115F\u1160\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/gv;
// Joiners that join nothing: scripts and pictures that need them have one between two characters of theirs.
const LOOSE_JOINER =
  /(?<![^\p{ASCII}\u200B-\u200D])[\u200C\u200D]|[\u200C\u200D](?![^\p{ASCII}\u200B-\u200D])/gv;
// The form of a character is chosen once.
const SECOND_SELECTOR = /(?<=[\uFE00-\uFE0F])[\uFE00-\uFE0F]/gv;

/**
 * The same in what tools answer, where more is at home: colours of a terminal, line ends of every kind, selectors of
 * Mongolian letters, and a joiner at the end of a word. Each kind begins with its character, so that clean text is
 * passed over at once.
 */
export const UNSEEN_IN_RESULTS =
  /[\u034F\u17B4\u17B5\u180E\u00AD\u061C\u115F\u1160\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]|[\u180B-\u180D\u180F](?<![\u1820-\u18AA].)|[\u200C\u200D](?<![^\p{ASCII}\u200B-\u200D].)(?![^\p{ASCII}\u200B-\u200D])|[\uFE00-\uFE0F](?<=[\uFE00-\uFE0F]{2})/gv;

const PATTERNS = [UNSEEN, LOOSE_JOINER, SECOND_SELECTOR];

/** True when a text, or any text or key within a value, hides something. */
export function hasHiddenText(value: unknown): boolean {
  // A search begins at the start, whatever was found before.
  if (typeof value === 'string') return PATTERNS.some((pattern) => value.search(pattern) !== -1);
  if (Array.isArray(value)) return value.some(hasHiddenText);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => hasHiddenText(key) || hasHiddenText(inner));
}

/** The text with the code of each such character in its place. */
export function visibleText(text: string): string {
  return PATTERNS.reduce((left, pattern) => left.replaceAll(pattern, codeOf), text);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The value with every text and key made visible. */
export function visibleValue<T>(value: T): T;
export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map((inner: unknown) => visibleValue(inner));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [visibleText(key), visibleValue(inner)]),
  );
}
