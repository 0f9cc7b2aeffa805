/** Reads values deep inside parsed JSON, and finds what no schema would see. */

/** The value at a path of own properties; undefined when the path ends early. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/**
 * What is wrong with the first text or name that nothing can keep as it is, with its path; undefined when all is well.
 * Databases take no U+0000 and write half of a surrogate pair as another character; maps of any names pass over `__proto__`.
 * At the top nobody ever gets one: the SDK leaves it out of what it reads.
 */
export function unkeepableIn(root: unknown): string | undefined {
  return hasUnkeepable(root) ? describeUnkeepable(root) : undefined;
}

/** The same question without the path: nearly no input has one, and writing paths costs more than looking. */
function hasUnkeepable(root: unknown): boolean {
  if (typeof root !== 'object' || root === null) return typeof root === 'string' && !isKeepable(root);
  const open: object[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const key in next) {
      if ((key === PROTO && next !== root) || !isKeepable(key)) return true;
      const value: unknown = Reflect.get(next, key);
      if (typeof value === 'string') {
        if (!isKeepable(value)) return true;
      } else if (typeof value === 'object' && value !== null) {
        open.push(value);
      }
    }
  }
  return false;
}

const PROTO = '__proto__';

/** A text of Latin letters is well formed without a look at it. */
function isKeepable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function describeUnkeepable(root: unknown): string | undefined {
  const open: [value: unknown, path: string][] = [[root, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, path] = next;
    if (typeof value === 'string' && !isKeepable(value)) return wordsFor(value, path);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!isKeepable(key)) return wordsFor(key, path);
      const here = path === '' ? key : `${path}.${key}`;
      if (key === PROTO && value !== root) return `${here}: is not a known field`;
      open.push([inner, here]);
    }
  }
  return undefined;
}

function wordsFor(text: string, path: string): string {
  return `${path === '' ? 'input' : path}: ${unkeepableText(text)}`;
}

/** The rule that a text breaks which nothing can keep as it is; undefined when it breaks none. */
export function unkeepableText(text: string): string | undefined {
  if (isKeepable(text)) return undefined;
  return `must not contain ${text.includes('\0') ? 'the character U+0000' : 'half of a surrogate pair'}`;
}
