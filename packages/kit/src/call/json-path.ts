/** Reads values deep inside parsed JSON. */

/** The value at a path of own properties; undefined when the path ends early. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** The path of the first text with U+0000, which databases do not take; undefined when there is none. */
export function pathOfNul(root: unknown): string | undefined {
  const open: [value: unknown, path: string][] = [[root, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, path] = next;
    if (typeof value === 'string' && value.includes('\0')) return path;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key.includes('\0')) return path;
      open.push([inner, path === '' ? key : `${path}.${key}`]);
    }
  }
  return undefined;
}

/** The words for such a text. */
export function nulIn(path: string): string {
  return `${path === '' ? 'input' : path}: must not contain the character U+0000`;
}
