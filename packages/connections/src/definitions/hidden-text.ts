/** Text that people do not see as it is: characters without a shape, and such as turn the direction of others. */

// Soft hyphen and fillers, direction marks, zero-width characters, invisible operators, tags, selectors that carry
// data, and controls other than tab and line ends; also a joiner that joins nothing, and selectors in a row.
const PATTERN =
  '[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F' +
  '\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}]' +
  '|(?<![^\\u0000-\\u007F\\u200B-\\u200D])[\\u200C\\u200D]|[\\u200C\\u200D](?![^\\u0000-\\u007F\\u200B-\\u200D])' +
  '|(?<=[\\uFE00-\\uFE0F])[\\uFE00-\\uFE0F]';

const HIDDEN = new RegExp(PATTERN, 'u');
const ALL_HIDDEN = new RegExp(PATTERN, 'gu');

/** True when a text, or any text or key within a value, hides something. */
export function hasHiddenText(value: unknown): boolean {
  if (typeof value === 'string') return HIDDEN.test(value);
  if (Array.isArray(value)) return value.some(hasHiddenText);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => HIDDEN.test(key) || hasHiddenText(inner));
}

/** The text with the code of each such character in its place. */
export function visibleText(text: string): string {
  return text.replaceAll(ALL_HIDDEN, (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
    return `<U+${code}>`;
  });
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
