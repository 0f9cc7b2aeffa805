/** The faults of feedback in its own words. */
import { ToolError } from '@parley/kit';
import { isUniqueViolation } from '@parley/store';

export { RuleBroken, Stale } from '@parley/http';

/** The answer for what does not exist and for what belongs to somebody else. */
export function notFound(thing: string): ToolError<'not_found'> {
  return new ToolError('not_found', `${thing} not found`);
}

/** The answer when something of that name or state is there already. */
export function conflict(message: string): ToolError<'conflict'> {
  return new ToolError('conflict', message);
}

/** The answer to somebody who may not. */
export function forbidden(message: string): ToolError<'forbidden'> {
  return new ToolError('forbidden', message);
}

/** Turns the refusal of a second row into a conflict with this text. */
export function orConflict(message: string): (error: unknown) => never {
  return (error) => {
    throw isUniqueViolation(error) ? conflict(message) : error;
  };
}
