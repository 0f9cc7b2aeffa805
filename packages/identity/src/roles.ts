/** The roles every organization has. Custom roles build on `member`. */
import type { Grants } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';

/** Built-in roles and what they may do. */
export const BUILT_IN_ROLES: Readonly<Record<string, Grants>> = {
  owner: ALL_GRANTS,
  admin: ALL_GRANTS,
  member: { parley: ['parley_whoami'] },
};

/** True for a role that organizations cannot redefine. */
export function isBuiltInRole(role: string): boolean {
  return Object.hasOwn(BUILT_IN_ROLES, role);
}
