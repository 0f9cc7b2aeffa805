/** Owns what a form can see is missing or wrong before anything is sent; the server checks everything again. */
import { BrokenJson } from './broken-json.ts';
import { allowsNull, asSchema, kindOf, ownOf, resolve, textsOf, withoutNull } from './read-schema.ts';
import type { Schema } from './read-schema.ts';

/** What is wrong, by the path of the field: `people.0.name`. */
export type Problems = ReadonlyMap<string, string>;

const BROKEN = 'This is no JSON yet.';
const DEEPEST = 12;
const MOST = 200;

/** Looks through a value. Patterns are left to the server: one from outside could take for ever. */
export function findProblems(schema: unknown, value: unknown): Problems {
  const problems = new Map<string, string>();
  const root = asSchema(schema);
  look(root, value, '', 0);
  return problems;

  function look(part: unknown, held: unknown, path: string, depth: number): void {
    if (depth > DEEPEST || problems.size > MOST) return;
    if (held instanceof BrokenJson) {
      problems.set(path, BROKEN);
      return;
    }
    const resolved = resolve(part, root);
    if (held === null && allowsNull(resolved, root)) return;
    const found = withoutNull(resolved, root);
    switch (kindOf(found, root)) {
      case 'object':
        return lookObject(found, asSchema(held), path, depth);
      case 'array':
        return lookArray(found, held, path, depth);
      case 'string':
        return lookString(found, held, path);
      case 'number':
        return lookNumber(found, held, path);
      default:
    }
  }

  function lookObject(found: Schema, held: Schema, path: string, depth: number): void {
    const properties = asSchema(found['properties']);
    for (const name of textsOf(found['required'])) {
      if (Object.hasOwn(properties, name) && ownOf(held, name) === undefined)
        problems.set(at(path, name), 'This is needed.');
    }
    for (const [name, part] of Object.entries(properties)) {
      const one = ownOf(held, name);
      if (one !== undefined) look(part, one, at(path, name), depth + 1);
    }
  }

  function lookArray(found: Schema, held: unknown, path: string, depth: number): void {
    if (!Array.isArray(held)) return;
    const least = found['minItems'];
    const most = found['maxItems'];
    if (typeof least === 'number' && held.length < least) problems.set(path, `At least ${least} are needed.`);
    if (typeof most === 'number' && held.length > most) problems.set(path, `At most ${most} are allowed.`);
    held.forEach((item, index) => {
      if (item === undefined || item === null) problems.set(at(path, String(index)), 'This is needed.');
      else look(found['items'], item, at(path, String(index)), depth + 1);
    });
  }

  function lookString(found: Schema, held: unknown, path: string): void {
    if (typeof held !== 'string') return;
    const least = found['minLength'];
    const most = found['maxLength'];
    if (typeof least === 'number' && held.length < least)
      problems.set(path, `At least ${least} characters are needed.`);
    if (typeof most === 'number' && held.length > most)
      problems.set(path, `At most ${most} characters are allowed.`);
  }

  function lookNumber(found: Schema, held: unknown, path: string): void {
    if (typeof held !== 'number') {
      if (held !== undefined) problems.set(path, 'This is no number.');
      return;
    }
    const { minimum, maximum, type } = found;
    if (type === 'integer' && !Number.isInteger(held)) problems.set(path, 'A whole number is needed.');
    else if (typeof minimum === 'number' && held < minimum) problems.set(path, `The least is ${minimum}.`);
    else if (typeof maximum === 'number' && held > maximum) problems.set(path, `The most is ${maximum}.`);
  }
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
