/** What is shown in the place of a secret, and how what is shown comes back to mean the secret. */
import { isSecretSetting, ToolError } from '@parley/kit';

/** Stands for a secret in every answer; sent back, it keeps what is stored. */
export const MASK = '[secret]';

type Texts = Readonly<Record<string, string>>;

/** Every value masked. */
export function maskedTexts(texts: Texts): Record<string, string> {
  return Object.fromEntries(Object.keys(texts).map((name) => [name, MASK]));
}

/** The texts with what is stored in the place of each mask. */
export function restoredTexts(given: Texts, stored: Texts, path: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (value !== MASK) return [name, value];
      return [name, Object.hasOwn(stored, name) ? (stored[name] ?? '') : nothingStored(`${path}.${name}`)];
    }),
  );
}

/** The one value behind a mask. */
export function restoredText(given: string, stored: string | null | undefined, path: string): string {
  return given === MASK ? (stored ?? nothingStored(path)) : given;
}

function nothingStored(path: string): never {
  throw new ToolError(
    'invalid',
    `${path}: ${MASK} keeps a stored value, and there is none. Send the value itself.`,
  );
}

/** The address with masks for the values of its secret parameters. */
export function maskedUrl(url: string): string {
  return withParameters(url, (name, value) => (isSecretSetting(name) ? MASK : value));
}

/** The address with the stored values in the place of masks. */
export function restoredUrl(given: string, stored: string | null | undefined, path: string): string {
  const known = new Map(parametersOf(stored ?? ''));
  return withParameters(given, (name, value) =>
    decoded(value) === MASK ? (known.get(name) ?? nothingStored(path)) : value,
  );
}

/** The parameters of an address, with their values as they are written there. */
export function parametersOf(url: string): [name: string, raw: string][] {
  const found: [string, string][] = [];
  withParameters(url, (name, raw) => {
    found.push([name, raw]);
    return raw;
  });
  return found;
}

/** The address with every raw value of its query replaced; the rest stays as it was written. */
function withParameters(url: string, change: (name: string, raw: string) => string): string {
  const hash = url.indexOf('#');
  const end = hash === -1 ? url.length : hash;
  const question = url.indexOf('?');
  if (question === -1 || question > end) return url;
  const query = url.slice(question + 1, end).split('&');
  const changed = query.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals === -1) return pair;
    return `${pair.slice(0, equals)}=${change(decoded(pair.slice(0, equals)), pair.slice(equals + 1))}`;
  });
  return `${url.slice(0, question)}?${changed.join('&')}${url.slice(end)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The value with masks for everything under a secret name, however deep. */
export function maskedState(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskedState);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      inner !== null && isSecretSetting(name, inner) ? MASK : maskedState(inner),
    ]),
  );
}

/** The value with what is stored at the same place for each mask under a secret name. */
export function restoredState(given: unknown, stored: unknown, path: string): unknown {
  if (Array.isArray(given)) {
    const known: readonly unknown[] = Array.isArray(stored) ? stored : [];
    return given.map((inner, index) => restoredState(inner, known[index], `${path}.${index}`));
  }
  if (typeof given !== 'object' || given === null) return given;
  const known = typeof stored === 'object' && stored !== null ? stored : {};
  return Object.fromEntries(
    Object.entries(given).map(([name, inner]) => {
      const before: unknown = Object.hasOwn(known, name) ? Reflect.get(known, name) : undefined;
      const place = `${path}.${name}`;
      if (inner !== MASK || !isSecretSetting(name)) return [name, restoredState(inner, before, place)];
      return [name, before ?? nothingStored(place)];
    }),
  );
}
