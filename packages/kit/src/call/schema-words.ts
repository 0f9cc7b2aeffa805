/** Turns what the JSON Schema validator says into the words of built-in tools: each field once, with its rule. */
import type { JsonSchema } from '../define/context.ts';
import { valueAt } from './json-path.ts';

const MOST_FAULTS = 10;
const LONGEST_FIELD = 200;
const MUST = ' must ';
const REQUIRED = /^must have required property '(.*)'$/s;
const UNKNOWN = /^must NOT have (?:additional|unevaluated) properties$/;

/** The faults of an input in one line: `count: must be integer; name: is required`. */
export function schemaFaults(said: string, schema: JsonSchema, input: unknown): string {
  // The validator calls the input `data`, and puts commas between its sentences.
  const sentences = said.split(/, (?=data(?:\/| must ))/);
  // Of many unknown fields each is told by the same sentence, which is looked at once and stands for all of them.
  const faults = [...new Set(sentences)]
    .slice(0, MOST_FAULTS)
    .flatMap((sentence) => faultsOf(sentence, schema, input));
  return [...new Set(faults)].slice(0, MOST_FAULTS).join('; ');
}

function faultsOf(sentence: string, schema: JsonSchema, input: unknown): string[] {
  const at = sentence.indexOf(MUST);
  if (!sentence.startsWith('data') || at === -1) return [sentence];
  const path = sentence.slice('data'.length, at).split('/').slice(1).map(unescaped);
  const rule = sentence.slice(at + 1);
  const [, absent] = REQUIRED.exec(rule) ?? [];
  if (absent !== undefined) return [`${fieldOf([...path, absent])}: is required`];
  const unknown = UNKNOWN.test(rule) ? unknownAt(path, schema, input) : [];
  if (unknown.length === 0) return [`${fieldOf(path)}: ${rule}`];
  return unknown.map((name) => `${fieldOf([...path, name])}: is not a known field`);
}

/** The fields that an object has and its schema does not know, as far as that can be told without following references. */
function unknownAt(path: readonly string[], schema: JsonSchema, input: unknown): string[] {
  const properties = inner(schemaAt(path, schema), 'properties');
  const value = valueAt(input, path);
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).filter((name) => properties === undefined || !Object.hasOwn(properties, name));
}

function schemaAt(path: readonly string[], schema: unknown): unknown {
  return path.reduce<unknown>(
    (at, step) => inner(inner(at, 'properties'), step) ?? inner(at, 'items'),
    schema,
  );
}

function inner(value: unknown, name: string): object | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'object' && found !== null ? found : undefined;
}

function fieldOf(path: readonly string[]): string {
  return path.length === 0 ? 'input' : path.join('.').slice(0, LONGEST_FIELD);
}

/** As JSON Pointers write the signs that mean something to them. */
function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
