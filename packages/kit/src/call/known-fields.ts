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
  let def = schema && definitionOf(schema);
  while (def !== undefined) {
    if (def.type === 'pipe') def = definitionOf(def.in);
    else if (def.type === 'lazy') def = definitionOf(def.getter());
    else if ('innerType' in def) def = definitionOf(def.innerType);
    else return def;
  }
  return def;
}

function definitionOf(schema: $ZodType): Definition {
  return (schema as $ZodTypes)._zod.def; // every schema of Zod is one of these
}

function fieldOf(def: Definition | undefined, step: PropertyKey): $ZodType | undefined {
  if (def?.type === 'object') return Object.hasOwn(def.shape, step) ? def.shape[String(step)] : undefined;
  if (def?.type === 'array') return def.element;
  return def?.type === 'record' ? def.valueType : undefined;
}
