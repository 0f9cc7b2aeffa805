/** Keeps the key out of every text that leaves, and e-mail addresses out of every answer. */
import { BadAnswer } from './faults.ts';

/** Takes one secret out of texts and values. */
export interface Redactor {
  text(text: string): string;
  /** Replaces the secret in every text of a value. */
  value<T>(value: T): T;
}

/** Creates the one place that knows how the secret may be written. */
export function createRedactor(secret: string): Redactor {
  // As it is, and as it stands inside a text of JSON.
  const forms = [...new Set([secret, JSON.stringify(secret).slice(1, -1)])].filter((form) => form !== '');
  const text = (given: string) => forms.reduce((left, form) => left.replaceAll(form, '***'), given);
  return { text, value: (value) => rewritten(value, { text, nameOf: (name) => name }) };
}

/** An answer of the other server as tools may show it; its names of fields are texts of the server too. */
export function cleaned(answer: unknown, { text }: Redactor): unknown {
  const nameOf = (name: string) => (/email$/i.test(name) ? undefined : text(name));
  return rewritten(answer, { text, nameOf, maxDepth: MAX_DEPTH });
}

// Twice the depth of a thread of 2,000 replies; what is much deeper cannot be written as JSON again.
const MAX_DEPTH = 4500;

interface Rules {
  text(text: string): string;
  /** The name to show; undefined leaves the field out. */
  nameOf(name: string): string | undefined;
  readonly maxDepth?: number;
}

/** A copy of a JSON value with other texts and fewer fields; by a loop, since it may be deeper than the stack. */
function rewritten<T>(value: T, { text, nameOf, maxDepth = Infinity }: Rules): T {
  const root: { value?: unknown } = {};
  const open: { from: unknown; depth: number; put: (copy: unknown) => void }[] = [
    { from: value, depth: 0, put: (copy) => (root.value = copy) },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { from, depth, put } = next;
    if (depth > maxDepth) throw new BadAnswer('it is nested too deep');
    if (typeof from === 'string') put(text(from));
    else if (Array.isArray(from)) {
      const copy: unknown[] = Array.from({ length: from.length });
      put(copy);
      for (const [index, item] of from.entries())
        open.push({ from: item, depth: depth + 1, put: (made) => (copy[index] = made) });
    } else if (typeof from === 'object' && from !== null) {
      const copy: Record<string, unknown> = {};
      put(copy);
      for (const [name, item] of Object.entries(from)) {
        const shown = nameOf(name);
        if (shown === undefined || shown === '__proto__') continue;
        copy[shown] = null;
        open.push({ from: item, depth: depth + 1, put: (made) => (copy[shown] = made) });
      }
    } else put(from);
  }
  // The same form as what came in.
  return root.value as T;
}
