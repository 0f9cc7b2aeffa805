/** Validators of JSON Schemas that others write: each of the dialect that its schema names, and with nothing shared. */
import type { JsonSchema } from '@parley/kit';
import type { Options } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** What is wrong with a value, in words; undefined: nothing. */
export type Validator = (value: unknown) => string | undefined;

const OPTIONS: Options = {
  strict: false,
  validateFormats: true,
  validateSchema: false,
  // `{}` has no `constructor`, whatever it inherits.
  ownProperties: true,
  // A part that is referred to a thousand times would be compiled a thousand times.
  inlineRefs: false,
  // It would write words of others into the output of the server.
  logger: false,
};
const DIALECTS: readonly (readonly [RegExp, new (options: Options) => Ajv])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, Ajv2020],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, Ajv2019],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, Ajv],
];
// Every fault of a large value is an object too: all of them would be more than the value.
const MOST_FOR_ALL_FAULTS = 1_000;
const LONGEST = 2_000;

/** Makes the validator; throws when the schema cannot be used. */
export function compiled(schema: JsonSchema): Validator {
  const engine = engineFor(schema, false);
  const validate = engine.compile(schema);
  let naming: Validator | undefined;
  return (value) => {
    try {
      if (validate(value)) return undefined;
      if (!isSmall(value)) return engine.errorsText(validate.errors).slice(0, LONGEST);
      naming ??= namingAll(schema);
      return naming(value);
    } catch {
      // Its comparisons call what a value has as `valueOf` or `toString`.
      return 'data cannot be compared with the schema';
    }
  };
}

/** Finds all faults, so that a caller can mend them together. */
function namingAll(schema: JsonSchema): Validator {
  const engine = engineFor(schema, true);
  const validate = engine.compile(schema);
  return (value) => {
    validate(value);
    return engine.errorsText(validate.errors).slice(0, LONGEST);
  };
}

function engineFor({ $schema }: JsonSchema, allErrors: boolean): Ajv {
  const [, Dialect] =
    typeof $schema === 'string' ? (DIALECTS.find(([uri]) => uri.test($schema)) ?? []) : [undefined, Ajv2020];
  if (Dialect === undefined) throw new Error('its $schema names a dialect that is not known here');
  // One for each schema: a shared one keeps them all, and answers for one by the `$id` of another.
  const engine = new Dialect({ ...OPTIONS, allErrors });
  addFormats.default(engine);
  return engine;
}

function isSmall(value: unknown): boolean {
  return partsOf(value, MOST_FOR_ALL_FAULTS) <= MOST_FOR_ALL_FAULTS;
}

/** How many parts a value has, long texts counted as several; no more than just over `most` are counted. */
export function partsOf(value: unknown, most: number): number {
  const left: unknown[] = [value];
  let count = 0;
  while (left.length > 0 && count <= most) {
    const next = left.pop();
    count += 1;
    if (typeof next === 'string') count += next.length >>> 4;
    else if (typeof next === 'object' && next !== null)
      for (const part of Object.values(next)) left.push(part);
  }
  return count + left.length;
}
