/** Faults that REST tells apart more finely than the shared codes of tools do. */
import { ToolError } from '@parley/kit';
import { isUniqueViolation } from '@parley/store';

/** A rule of the domain is broken: over REST a VALIDATION_ERROR, over MCP `invalid`. */
export class RuleBroken extends ToolError<'invalid'> {
  constructor(message: string) {
    super('invalid', message);
  }
}

/** What the caller holds is not what is stored any more: over REST 412. */
export class Stale extends ToolError<'conflict'> {
  constructor() {
    super('conflict', 'It has changed since you read it. Read it again, then repeat the change.');
  }
}

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
