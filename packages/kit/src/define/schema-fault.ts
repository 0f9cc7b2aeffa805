/** Owns the check of JSON Schemas that people write, before anything relies on them, and of values against them. */
import { schemaFaults } from '../call/schema-words.ts';
import type { JsonSchema } from './context.ts';

/** Why a JSON Schema cannot be used; undefined when it can. */
export async function schemaFault(schema: JsonSchema): Promise<string | undefined> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/server/validators/ajv');
  try {
    // One of its own, since a shared one keeps every schema and answers for one by the `$id` of another.
    new AjvJsonSchemaValidator().getValidator(schema);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : 'it cannot be read';
  }
}

/** Finds what is wrong with a value; undefined: nothing. */
export type FaultOf = (value: unknown) => string | undefined;

/** The check of values against a JSON Schema; throws when the schema cannot be used. */
export async function faultsAgainst(schema: JsonSchema): Promise<FaultOf> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/server/validators/ajv');
  const validate = new AjvJsonSchemaValidator().getValidator(schema);
  return (value) => {
    const outcome = validate(value);
    return outcome.valid ? undefined : schemaFaults(outcome.errorMessage, schema, value).slice(0, 300);
  };
}
