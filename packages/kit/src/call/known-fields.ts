/** The fields that an object of a schema may have, for whoever wrote another one. */
import type { $ZodType, $ZodTypes } from 'zod/v4/core';

/** More would bury the sentence that they stand in. */
const MOST_NAMED = 15;

/** The fields at a path of a schema; none where there are too many to say, or where it depends on the value. */
export function knownFieldsAt(schema: $ZodType | undefined, path: readonly PropertyKey[]): string[] {
  let at = schema;
  for (const step of path) at = fieldOf(unwrapped(at), step);
  const found = unwrapped(at);
  const fields = found?.type === 'object' ? Object.keys(found.shape) : [];
  return fields.length > MOST_NAMED ? [] : fields;
}

type Definition = $ZodTypes['_zod']['def'];

/** What stands behind `optional`, `default` and others that change no fields. */
function unwrapped(schema: $ZodType | undefined): Definition | undefined {
  // Every schema of Zod is one of these; the base type does not say which.
  let def = schema && (schema as $ZodTypes)._zod.def;
  while (def !== undefined) {
    if (def.type === 'pipe') def = (def.in as $ZodTypes)._zod.def;
    else if (def.type === 'lazy') def = (def.getter() as $ZodTypes)._zod.def;
    else if ('innerType' in def) def = (def.innerType as $ZodTypes)._zod.def;
    else return def;
  }
  return def;
}

function fieldOf(def: Definition | undefined, step: PropertyKey): $ZodType | undefined {
  if (def?.type === 'object') return Object.hasOwn(def.shape, step) ? def.shape[String(step)] : undefined;
  if (def?.type === 'array') return def.element;
  return def?.type === 'record' ? def.valueType : undefined;
}
