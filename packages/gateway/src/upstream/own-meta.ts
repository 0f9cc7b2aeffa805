/** The keys of `_meta` by which this server says something itself: no upstream says it in its place. */
import { isObject } from '../messages.ts';

/** Where results, definitions and parts of them keep what is said about them. */
export const META = '_meta';

const OWN = /^(?:dev\.)?parley\//i;

export function hasOwnMeta(meta: unknown): boolean {
  if (!isObject(meta)) return false;
  for (const key in meta) if (OWN.test(key)) return true;
  return false;
}

/** The same without them. */
export function withoutOwnKeys(meta: unknown): unknown {
  if (!hasOwnMeta(meta) || !isObject(meta)) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !OWN.test(key)));
}

/** A whole value without them, however deep they are; the same object where there are none. */
export function withoutOwnMeta<T>(value: T): T {
  return (isForged(value) ? mapped(value) : value) as T; // the same shape, with fewer keys
}

function isForged(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    const inner: unknown = Reflect.get(value, key);
    if ((key === META && hasOwnMeta(inner)) || isForged(inner)) return true;
  }
  return false;
}

function mapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapped);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapped(key === META ? withoutOwnKeys(inner) : inner)]),
  );
}
