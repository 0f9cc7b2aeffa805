/** Credentials for upstreams. Start reading at `targets.ts` for what calls carry, at `connection-auth.ts` for people. */
export { createLateConnectionAuth, createLateTargets } from './late.ts';
export type { CredentialParts } from './parts.ts';
export type { CallCredentials, Targets } from './targets.ts';
