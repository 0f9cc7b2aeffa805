/** Whether the data of a result is as the definition of its tool says; the validator is made with the first result. */
import { ToolError } from '@parley/kit';
import type { FaultOf } from './schema-checks/checker.ts';
import { uncheckedResult } from './schema-checks/unchecked.ts';

type Result = Readonly<Record<string, unknown>>;

/** Returns the result, or throws `invalid_result`. */
export type OutputCheck = (result: Result, callerId?: string) => Result | Promise<Result>;

const LONGEST = 300;

/** Makes the check of one tool; `undefined` for one that promises nothing. */
export function outputCheck(title: string, tool: string, faultOf: FaultOf | undefined): OutputCheck {
  if (faultOf === undefined) return (result) => result;
  return async (result, callerId) => {
    // A failed call has no data, and neither has one that is not over.
    const isFinished = result['resultType'] === undefined || result['resultType'] === 'complete';
    if (result['isError'] === true || !isFinished) return result;
    const data = result['structuredContent'];
    if (data === undefined) throw broken(title, tool, 'it has no structuredContent');
    const fault = await faultOf(data, callerId).catch((error: unknown) => {
      throw uncheckedResult(error, title, tool);
    });
    if (fault !== undefined) throw broken(title, tool, fault.slice(0, LONGEST));
    return result;
  };
}

function broken(title: string, tool: string, fault: string): ToolError {
  return new ToolError(
    'invalid_result',
    `${title} gave an answer for ${tool} that breaks its own outputSchema: ${fault}.`,
  );
}
