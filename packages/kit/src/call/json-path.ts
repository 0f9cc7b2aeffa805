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
  return hasNul(root) ? findNul(root) : undefined;
}

/** The same question without the path: nearly no input has one, and writing paths costs more than looking. */
function hasNul(root: unknown): boolean {
  if (typeof root !== 'object' || root === null) return typeof root === 'string' && root.includes('\0');
  const open: object[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const key in next) {
      if (key.includes('\0')) return true;
      const value: unknown = Reflect.get(next, key);
      if (typeof value === 'string') {
        if (value.includes('\0')) return true;
      } else if (typeof value === 'object' && value !== null) {
        open.push(value);
      }
    }
  }
  return false;
}

function findNul(root: unknown): string | undefined {
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
