/** Nobody changes or takes away a key that may do more than the one they act with. */
import type { Caller } from '@parley/kit';
import { firstUncovered, ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { builtInRoles } from '../roles.ts';
import type { ApiKeyRow } from '../schema.ts';
import { callerOfKey } from './authentication.ts';
import type { Worth } from './ceiling.ts';

/** Throws `forbidden` unless the caller may do all that the key may now; a key may always do with itself. */
export async function requireKeyWithin(
  from: Queryable,
  by: Caller,
  row: ApiKeyRow,
  { isPrivileged, roleDefaults }: Worth,
): Promise<void> {
  if (row.id === by.id) return;
  const powers = { isPrivileged, builtIn: builtInRoles(roleDefaults) };
  const other = await callerOfKey(from, row, 'key', powers);
  const missing = other && firstUncovered(by.grants, other.grants);
  if (missing === undefined) return;
  const text = `You cannot change or revoke a key that may do more than yours: ${missing.resource}:${missing.tool}`;
  throw new ToolError('forbidden', text, missing);
}
