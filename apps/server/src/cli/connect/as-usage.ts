/** What a person gave on the command line and cannot be used: the same sentence, as a fault of usage. */
import { ToolError } from '@parley/kit';
import { UsageError } from '../../config.ts';

/** Does the work; what it refuses as invalid ends the command like any other wrong argument. */
export function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ToolError && error.code === 'invalid') throw new UsageError(error.message);
    throw error;
  }
}
