/** Faults that REST tells apart more finely than the shared codes of tools do. */
import { ToolError } from '@parley/kit';

/** A rule of the domain is broken: over REST a VALIDATION_ERROR, over MCP `invalid`. */
export class RuleBroken extends ToolError<'invalid'> {
  constructor(message: string) {
    super('invalid', message);
  }
}

/** What the caller holds is not what is stored any more: over REST 412, over MCP `conflict`. */
export class Stale extends ToolError<'conflict'> {
  constructor() {
    super('conflict', 'It has changed since you read it. Read it again, then repeat the change.');
  }
}
