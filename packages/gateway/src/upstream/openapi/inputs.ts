/** The arguments of a tool: parameters and body of an operation in one schema, and the way back from it. */
import type { JsonObject } from './json.ts';
import { fieldOf, textIn } from './json.ts';
import { MAX_FIELD_DESCRIPTION } from './limits.ts';
import { Names } from './names.ts';
import type { Parameter } from './parameters.ts';
import type { Body } from './request-body.ts';
import type { Schema, SchemaRules } from './schemas.ts';
import { SchemaWriter } from './schemas.ts';
import type { BodyPlan, Input } from './service.ts';

/** What a caller gives, and what becomes of it. */
export interface Inputs {
  readonly schema: Schema;
  readonly inputs: readonly Input[];
  readonly body: BodyPlan | null;
}

export function inputsOf(rules: SchemaRules, parameters: readonly Parameter[], body: Body | null): Inputs {
  const writer = new SchemaWriter(rules, 'input');
  const names = new Names();
  const properties: [string, unknown][] = [];
  const required: string[] = [];
  const add = (
    name: string,
    full: string,
    given: { schema: unknown; isRequired: boolean; more?: JsonObject },
  ) => {
    const property = names.take(name, full);
    properties.push([property, withMore(writer.write(given.schema ?? {}), given.more)]);
    if (given.isRequired) required.push(property);
    return property;
  };
  const inputs = parameters.map((parameter): Input => {
    const { name, place, style, explode, schema, isRequired } = parameter;
    const property = add(name, `${place} ${name}`, { schema, isRequired, more: saidOf(parameter) });
    return { property, name, place, style, explode };
  });
  const plan = body === null ? null : bodyPlan(body, add);
  const definitions = writer.definitions();
  const schema: Schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(definitions !== undefined && { $defs: definitions }),
  };
  return { schema, inputs, body: plan };
}

type Add = (
  name: string,
  full: string,
  given: { schema: unknown; isRequired: boolean; more?: JsonObject },
) => string;

function bodyPlan(body: Body, add: Add): BodyPlan {
  if (body.kind === 'whole') {
    const { form, mediaType, isRequired, description } = body;
    const schema = form === 'text' ? { type: 'string' } : body.schema;
    const property = add('body', 'the body', { schema, isRequired, more: { description } });
    return { kind: form, mediaType, property };
  }
  const fields = body.fields.map(({ name, schema, isRequired, written }) => ({
    ...written,
    property: add(name, `body ${name}`, { schema, isRequired }),
  }));
  const { form, mediaType, isRequired } = body;
  if (form === 'form') return { kind: 'form', fields };
  return {
    kind: 'json-fields',
    mediaType,
    isRequired,
    fields: fields.map(({ property, name }) => ({ property, name })),
  };
}

function saidOf({ description, isDeprecated }: Parameter): JsonObject {
  return { description, ...(isDeprecated && { deprecated: true }) };
}

/** The schema with what is said about it where it is used, which is nearer than what it says of itself. */
function withMore(schema: Schema | boolean, more: JsonObject = {}): Schema | boolean {
  const description = textIn(fieldOf(more, 'description'), MAX_FIELD_DESCRIPTION);
  const deprecated = fieldOf(more, 'deprecated');
  if (description === undefined && deprecated === undefined) return schema;
  return {
    ...(typeof schema === 'boolean' ? {} : schema),
    ...(description !== undefined && { description }),
    ...(deprecated !== undefined && { deprecated }),
  };
}
