/** Identity: who is there and what they may do; every toolset uses it and keeps no users or keys of its own. */
export { createIdentity } from './identity.ts';
export type { Identity, IdentityOptions } from './identity.ts';
export { identityMigrations } from './migrations/index.ts';
export { BUILT_IN_ROLES } from './roles.ts';
export type { KeyInfo, NewKey } from './services/keys.ts';
export { IDENTITY_CHANGED } from './services/identity-changed.ts';
