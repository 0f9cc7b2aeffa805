/** Settings with secrets among them: hidden when they are shown, kept when what was shown comes back. */

/** What stands where a secret is. */
export const MASK = '[secret]';

// As they look without case, blanks, `_` and `-`; the short ones only as a whole, since many words have them inside.
const PARTS =
  /password|passwd|secret|token|apikey|authorization|cookie|privatekey|credential|passphrase|accesskey|sessionid|connectionstring/;
const WHOLE = /^(?:pin|cvv)$/;

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[_\s-]/g, '');
  return PARTS.test(plain) || WHOLE.test(plain);
}

/** The value as others may see it. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      inner !== null && isSecretName(name) ? MASK : masked(inner),
    ]),
  );
}

/** The value to keep: wherever it says `[secret]`, what was there before stays. */
export function unmasked(value: unknown, before: unknown): unknown {
  if (value === MASK) return before ?? null;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = Array.isArray(before) ? before : [];
    return value.map((each, index) => unmasked(each, list[index]));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      unmasked(inner, isObject(before) && Object.hasOwn(before, name) ? before[name] : undefined),
    ]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
