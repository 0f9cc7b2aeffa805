/** The body of an operation: the fields of an object stand beside its parameters, anything else under one name. */
import type { JsonObject } from './json.ts';
import { fieldOf, listIn, objectIn } from './json.ts';
import { MAX_INPUTS } from './limits.ts';
import { isJsonType, plainType } from './media-types.ts';
import { followed } from './references.ts';
import type { Written } from './service.ts';
import { Unsupported } from './service.ts';

/** A field of the body that becomes a property of the tool. */
export interface BodyField {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
  /** How a form writes it. */
  readonly written: Written;
}

/** A body as its document describes it. */
export type Body =
  | {
      readonly kind: 'fields';
      readonly form: 'json' | 'form';
      readonly mediaType: string;
      readonly isRequired: boolean;
      readonly fields: readonly BodyField[];
    }
  | {
      readonly kind: 'whole';
      readonly form: 'json' | 'text';
      readonly mediaType: string;
      readonly isRequired: boolean;
      readonly schema: unknown;
      readonly description: unknown;
    };

const FORM = 'application/x-www-form-urlencoded';

/** The body of an operation; `taken` are names that its fields must not have. Null: it has none that can be sent. */
export function bodyOf(document: JsonObject, operation: JsonObject, taken: ReadonlySet<string>): Body | null {
  const body = followed(document, fieldOf(operation, 'requestBody'));
  if (body === undefined) return null;
  const isRequired = fieldOf(body, 'required') === true;
  const content = Object.entries(objectIn(fieldOf(body, 'content')) ?? {});
  const found =
    content.find(([type]) => plainType(type) === 'application/json') ??
    content.find(([type]) => isJsonType(type) || plainType(type) === '*/*') ??
    content.find(([type]) => plainType(type) === FORM) ??
    content.find(([type]) => plainType(type) === 'text/plain');
  if (found === undefined) {
    if (!isRequired || content.length === 0) return null;
    const types = content.map(([type]) => plainType(type).slice(0, 60)).slice(0, 3);
    throw new Unsupported(
      `Its body is ${types.join(' or ')}. Bodies are sent as JSON, as a form or as plain text.`,
    );
  }
  const [given, media] = found;
  const schema = fieldOf(objectIn(media), 'schema');
  const type = plainType(given);
  if (type === FORM) return formOf(document, { schema, media: objectIn(media), isRequired, taken });
  const isText = type === 'text/plain';
  const mediaType = isJsonType(type) || isText ? type : 'application/json';
  const fields = isText ? undefined : fieldsOf(document, { schema, isRequired, taken });
  if (fields !== undefined) return { kind: 'fields', form: 'json', mediaType, isRequired, fields };
  const description = fieldOf(body, 'description');
  return { kind: 'whole', form: isText ? 'text' : 'json', mediaType, isRequired, schema, description };
}

interface Given {
  readonly schema: unknown;
  readonly isRequired: boolean;
  readonly taken: ReadonlySet<string>;
}

/** The fields of a plain object; undefined when it is anything else, or a field has a name that is taken. */
function fieldsOf(
  document: JsonObject,
  { schema: given, isRequired, taken }: Given,
): BodyField[] | undefined {
  const schema = followed(document, given);
  const properties = Object.entries(objectIn(fieldOf(schema, 'properties')) ?? {});
  const type = fieldOf(schema, 'type') ?? 'object';
  const more = fieldOf(schema, 'additionalProperties') ?? false;
  const isPlain = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'nullable'].every(
    (keyword) => fieldOf(schema, keyword) === undefined || fieldOf(schema, keyword) === false,
  );
  if (type !== 'object' || more !== false || !isPlain) return undefined;
  if (properties.length === 0 || properties.length > MAX_INPUTS) return undefined;
  if (properties.some(([name]) => taken.has(name) || name === '')) return undefined;
  const required = new Set(listIn(fieldOf(schema, 'required')));
  // An object that may be absent but not incomplete cannot be said with its fields alone.
  if (!isRequired && required.size > 0) return undefined;
  return properties.flatMap(([name, property]) => {
    // What a service only tells is not for it to be told; `_method` makes one request do the work of another.
    if (fieldOf(followed(document, property), 'readOnly') === true || name === '_method') return [];
    const written = { name, style: 'json', explode: true } as const;
    return [{ name, schema: property, isRequired: required.has(name), written }];
  });
}

function formOf(document: JsonObject, { media, ...given }: Given & { media: JsonObject | undefined }): Body {
  // An optional form is sent with what it has: it can have no part that is missing.
  const fields = fieldsOf(document, { ...given, isRequired: true });
  if (fields === undefined)
    throw new Unsupported(
      'Its body is a form that is no plain object, or has a field named like a parameter.',
    );
  const encoding = objectIn(fieldOf(media, 'encoding'));
  return {
    kind: 'fields',
    form: 'form',
    mediaType: FORM,
    isRequired: given.isRequired,
    fields: fields.map((field) => ({
      ...field,
      isRequired: given.isRequired && field.isRequired,
      written: writtenOf(document, field, objectIn(fieldOf(encoding, field.name))),
    })),
  };
}

const STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;

/** Lists as repeated fields and objects as JSON, unless the document says otherwise. */
function writtenOf(
  document: JsonObject,
  { name, schema }: BodyField,
  encoding: JsonObject | undefined,
): Written {
  const said = STYLES.find((style) => style === fieldOf(encoding, 'style'));
  const isObject = fieldOf(followed(document, schema), 'type') === 'object';
  const style = said ?? (isObject ? 'json' : 'form');
  const explode = fieldOf(encoding, 'explode');
  return { name, style, explode: typeof explode === 'boolean' ? explode : style === 'form' };
}
