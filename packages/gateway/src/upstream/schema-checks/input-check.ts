/** The check of arguments against a schema of somebody else, as tools take it. */
import { ToolError } from '@parley/kit';
import { isObject } from '../../messages.ts';
import type { FaultOf } from './checker.ts';
import { uncheckedArguments } from './unchecked.ts';

/** Returns the arguments as they are, or throws `invalid`. */
export function inputCheck(
  faultOf: FaultOf,
): (args: unknown, callerId?: string) => Promise<Record<string, unknown>> {
  return async (args, callerId) => {
    const fault = await faultOf(args, callerId).catch((error: unknown) => {
      throw uncheckedArguments(error);
    });
    if (fault !== undefined) throw new ToolError('invalid', fault);
    // Not every schema asks for an object, and every tool gets one.
    if (!isObject(args)) throw new ToolError('invalid', 'The arguments must be an object.');
    return args;
  };
}
