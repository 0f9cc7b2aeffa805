/** Values from outside: how deep they go, and the little that can be said about them before they are used. */
import { BadDocument } from './service.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value, when it is an object; otherwise undefined. */
export function objectIn(value: unknown): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // Just looked at; its fields are still unknown.
  return value as JsonObject;
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text, cut to so many characters; undefined when it is none. */
export function textIn(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return value.length <= most ? value : `${value.slice(0, most - 1)}…`;
}

/** An own field; what every object has by itself is none. */
export function fieldOf(object: JsonObject | undefined, name: string): unknown {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** True when nothing lies deeper than code that walks through it can go. */
export function isShallow(root: unknown, maxDepth: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
}

/**
 * A copy that holds nothing but JSON, within bounds: what a document refers to twice is there twice, and fields that
 * would change what an object is are left out.
 */
export function plainCopy(
  root: unknown,
  { maxDepth, maxNodes }: { maxDepth: number; maxNodes: number },
): unknown {
  let left = maxNodes;
  const copy = (value: unknown, depth: number): unknown => {
    left -= 1;
    if (left < 0) throw new BadDocument(`The document holds more than ${maxNodes} values. Split it.`);
    if (depth > maxDepth)
      throw new BadDocument(`The document is more than ${maxDepth} levels deep. Flatten it.`);
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1));
    if (value instanceof Date) return value.toISOString();
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).filter(([name]) => name !== '__proto__');
      return Object.fromEntries(fields.map(([name, field]) => [name, copy(field, depth + 1)]));
    }
    return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value) ? value : null;
  };
  return copy(root, 0);
}
