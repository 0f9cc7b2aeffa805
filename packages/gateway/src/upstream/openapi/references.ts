/** References inside a document; one that leads out of it is never followed. */
import type { JsonObject } from './json.ts';
import { fieldOf, objectIn } from './json.ts';
import { Unsupported } from './service.ts';

const MOST_STEPS = 32;

/** What a reference such as `#/components/schemas/Pet` leads to. */
export function valueAt(document: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#'))
    throw new Unsupported(
      `It refers to another file (${reference.slice(0, 80)}), which is not fetched. Bundle the document into one file.`,
    );
  const path = reference.slice(1);
  if (path !== '' && !path.startsWith('/')) throw unknown(reference);
  let value: unknown = document;
  for (const part of path.split('/').slice(1)) {
    const name = partOf(part);
    value = Array.isArray(value) ? value[Number(name)] : fieldOf(objectIn(value), name);
    if (value === undefined) throw unknown(reference);
  }
  return value;
}

/** An object of the document, itself or behind references; undefined when it is none. */
export function followed(document: JsonObject, value: unknown): JsonObject | undefined {
  let object = objectIn(value);
  for (let step = 0; object !== undefined; step += 1) {
    const reference = fieldOf(object, '$ref');
    if (typeof reference !== 'string') return object;
    if (step >= MOST_STEPS) throw new Unsupported('Its references lead in a circle.');
    object = objectIn(valueAt(document, reference));
  }
  return undefined;
}

function partOf(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

function unknown(reference: string): Unsupported {
  return new Unsupported(`It refers to ${reference.slice(0, 80)}, which the document does not have.`);
}
