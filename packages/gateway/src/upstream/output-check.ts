/** Whether the data of a result is as the definition of its tool says; the validator is made with the first result. */
import type { JsonSchema } from '@parley/kit';
import { ToolError } from '@parley/kit';

type Result = Readonly<Record<string, unknown>>;

/** Returns the result, or throws `invalid_result`. */
export type OutputCheck = (result: Result) => Result | Promise<Result>;

const LONGEST = 300;

/** Makes the check of one tool; `undefined` for one that promises nothing. */
export function outputCheck(title: string, tool: string, schema: JsonSchema | undefined): OutputCheck {
  if (schema === undefined) return (result) => result;
  let validator: Promise<(data: unknown) => Promise<string | undefined>> | undefined;
  return async (result) => {
    // A failed call has no data, and neither has one that is not over.
    const isFinished = result['resultType'] === undefined || result['resultType'] === 'complete';
    if (result['isError'] === true || !isFinished) return result;
    const data = result['structuredContent'];
    if (data === undefined) throw broken(title, tool, 'it has no structuredContent');
    validator ??= validatorOf(schema);
    const fault = await (await validator)(data);
    if (fault !== undefined) throw broken(title, tool, fault.slice(0, LONGEST));
    return result;
  };
}

async function validatorOf(schema: JsonSchema): Promise<(data: unknown) => Promise<string | undefined>> {
  const { fromJsonSchema } = await import('@modelcontextprotocol/server');
  const standard = fromJsonSchema(schema)['~standard'];
  return async (data) => {
    const outcome = await standard.validate(data);
    return outcome.issues?.map(({ message }) => message).join('; ');
  };
}

function broken(title: string, tool: string, fault: string): ToolError {
  return new ToolError(
    'invalid_result',
    `${title} gave an answer for ${tool} that breaks its own outputSchema: ${fault}.`,
  );
}
