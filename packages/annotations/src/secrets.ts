/** Owns what is struck out of a note before it leaves the page, and once more before it is stored. */

/** What stands in place of masked content. */
export const MASKED = '***';

// A cut one counts too, since texts are shortened before they come here.
const TOKEN = /parley_(?:page|tab)_[\w-]*/g;

/** A copy of a value whose strings hold no page or tab token and none of the given secrets. */
export function strike<T>(value: T, secrets: readonly string[] = []): T {
  const clean = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      return secrets.reduce((text, one) => text.replaceAll(one, MASKED), inner).replace(TOKEN, MASKED);
    }
    if (Array.isArray(inner)) return inner.map(clean);
    if (inner === null || typeof inner !== 'object') return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, part]) => [key, clean(part)]));
  };
  // The shape is kept, only strings inside change.
  return clean(value) as T;
}
