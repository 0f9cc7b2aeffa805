/** Which names of fields say that their value is a secret: by their words, or because a tool's schema says so. */
import { isSecretName } from '@parley/kit';
import { redactPersonal } from './personal.ts';

const MOST_KNOWN = 5_000;
const LONGEST_NAME = 200;

/** What a name says: its value is a secret (or counts something, as a number), it is itself nothing to be kept, or nothing. */
export type NameKind = 'secret' | 'counting' | 'personal' | 'plain';

const known = new Map<string, NameKind>();

/** Secret is a name like `clientSecret`, `client_secret` or `x-api-key`. */
export function kindOfName(name: string): NameKind {
  const found = known.get(name);
  if (found !== undefined) return found;
  const kind = freshKind(name);
  // Long ones are no names that come again.
  if (name.length > LONGEST_NAME) return kind;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, kind);
  return kind;
}

function freshKind(name: string): NameKind {
  if (isSecretName(name)) return isSecretName(name, 0) ? 'secret' : 'counting';
  return redactPersonal(name) === name ? 'plain' : 'personal';
}

const ofSchemas = new WeakMap<object, ReadonlySet<string>>();
const DEEPEST = 12;

/** The fields of a JSON Schema that are written and never shown. */
export function secretFields(schema: object): ReadonlySet<string> {
  const found = ofSchemas.get(schema);
  if (found !== undefined) return found;
  const names = new Set<string>();
  collect(schema, names, 0);
  ofSchemas.set(schema, names);
  return names;
}

function collect(schema: unknown, names: Set<string>, depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth > DEEPEST) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && typeof value === 'object' && value !== null) {
      for (const [name, field] of Object.entries(value)) if (isWriteOnly(field)) names.add(name);
    }
    collect(value, names, depth + 1);
  }
}

function isWriteOnly(field: unknown): boolean {
  if (typeof field !== 'object' || field === null) return false;
  const has = (name: string, value: unknown) =>
    Object.entries(field).some(([key, found]) => key === name && found === value);
  return has('writeOnly', true) || has('secret', true) || has('format', 'password');
}
