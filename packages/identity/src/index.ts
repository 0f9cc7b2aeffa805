/** Identity: who is there and what they may do; every toolset uses it and keeps no users or keys of its own. */
export { createIdentity } from './identity.ts';
export type { Identity, IdentityOptions } from './identity.ts';
export { identityMigrations } from './migrations/index.ts';
export type { KeyFormat } from './key-format.ts';
export { builtInRoles, joinRoleDefaults, rankOf, roleDefaultsOf } from './roles.ts';
export type { Rank, RoleDefaults } from './roles.ts';
export type { IdentityTables } from './schema.ts';
export type { KeyState } from './services/authentication.ts';
export type { KeyInfo, KeyRole, NewKey } from './services/keys.ts';
export type { KnownGrants } from './services/known-grants.ts';
export type { Member } from './services/member-list.ts';
export type { FoundSession, OpenedSession, Sessions } from './services/sessions.ts';
export { IDENTITY_CHANGED } from './services/identity-changed.ts';
