/** Why a value could not be held against a schema, and what its caller is told. */
import { ToolError } from '@parley/kit';

/** `late`: it takes too long; `large`: it is not even tried; `busy`: too many wait; `unusable`: the schema is none. */
export type UncheckedReason = 'late' | 'large' | 'busy' | 'unusable';

export class Unchecked extends Error {
  override readonly name = 'Unchecked';
  readonly reason: UncheckedReason;

  constructor(reason: UncheckedReason, why = 'the value could not be checked') {
    super(why);
    this.reason = reason;
  }
}

const RETRY_MS = 1_000;

/** What is told of arguments; anything but an `Unchecked` stays as it is. */
export function uncheckedArguments(error: unknown): unknown {
  if (!(error instanceof Unchecked)) return error;
  switch (error.reason) {
    case 'late':
      return new ToolError(
        'invalid',
        'The arguments could not be checked in time. Send less, or ask who runs the upstream to simplify its schema.',
      );
    case 'large':
      return new ToolError(
        'invalid',
        'The arguments are too large to be checked. Send less than 1 MB, or ask who runs the upstream to simplify its schema.',
      );
    case 'busy':
      return new ToolError('unavailable', 'Too many arguments are being checked. Try again in a moment.', {
        retryAfterMs: RETRY_MS,
      });
    case 'unusable':
      return new ToolError(
        'invalid',
        `The inputSchema of this tool cannot be used: ${error.message}. Ask who runs the upstream to mend it.`,
      );
  }
}

const OF_RESULTS: Readonly<Record<Exclude<UncheckedReason, 'unusable'>, string>> = {
  late: 'could not be checked in time. Ask for less, or ask who runs the upstream to simplify its schema',
  large: 'is too large to be checked. Ask for less, or ask who runs the upstream to simplify its schema',
  busy: 'could not be checked, since too many others are. Look whether it was done before you try again',
};

/** The same of the result of a tool. */
export function uncheckedResult(error: unknown, title: string, tool: string): unknown {
  if (!(error instanceof Unchecked)) return error;
  const { reason, message } = error;
  const words =
    reason === 'unusable'
      ? `cannot be checked, since its outputSchema cannot be used: ${message}. Ask who runs the upstream to mend it`
      : OF_RESULTS[reason];
  return new ToolError('invalid_result', `The answer of ${title} for ${tool} ${words}.`);
}

/**
 * The same of an answer to a question: who asked it has to check it, since whoever answers can do nothing about the
 * schema. Undefined: nothing is known to be wrong.
 */
export function uncheckedAnswer(error: unknown): undefined {
  if (!(error instanceof Unchecked)) throw error;
  if (error.reason !== 'busy') return undefined;
  throw new ToolError('unavailable', 'Too many answers are being checked. Try again in a moment.', {
    retryAfterMs: RETRY_MS,
  });
}
