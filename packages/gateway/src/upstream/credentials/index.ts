/** Credentials for upstreams. Start reading at `targets.ts` for what calls carry, at `connection-auth.ts` for people. */
export { createConnectionAuth } from './connection-auth.ts';
export type { CredentialParts } from './parts.ts';
export { createTargets } from './targets.ts';
export type { Targets } from './targets.ts';
