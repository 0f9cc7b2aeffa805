/** The organization in a path is the caller's own; any other answers like one that is not there. */
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';

export function requireOwn({ organizationId }: Pick<Caller, 'organizationId'>, orgId: string): void {
  if (orgId !== organizationId) throw new ToolError('not_found', 'Organization not found');
}
