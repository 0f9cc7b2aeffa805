/** Credentials whose code is loaded with the first call to a connection, or the first person who asks about one. */
import type { ConnectionAuth } from '@parley/connections';
import { late } from '../../late.ts';
import { clientDocument } from './client-document.ts';
import type { CredentialParts } from './parts.ts';
import type { Targets } from './targets.ts';

/** The targets of `targets.ts`. */
export function createLateTargets(parts: CredentialParts): Targets {
  const targets = late(async () => (await import('./targets.ts')).createTargets(parts));
  return {
    credentialsFor: (caller, connectionId, header) =>
      targets.now?.credentialsFor(caller, connectionId, header) ??
      targets.load().then((part) => part.credentialsFor(caller, connectionId, header)),
    targetFor: async (...given) => (await targets.load()).targetFor(...given),
    headersFor: async (...given) => (await targets.load()).headersFor(...given),
    afterRefusal: async (...given) => (await targets.load()).afterRefusal(...given),
    through: async (...given) => (await targets.load()).through(...given),
    freshened: async (target) => (await targets.load()).freshened(target),
    close: () => targets.now?.close(),
  };
}

/** What people do about credentials, of `connection-auth.ts`. */
export function createLateConnectionAuth(parts: CredentialParts): ConnectionAuth {
  const auth = late(async () => (await import('./connection-auth.ts')).createConnectionAuth(parts));
  return {
    state: async (...given) => (await auth.load()).state(...given),
    states: async (...given) => (await auth.load()).states(...given),
    people: async (...given) => (await auth.load()).people(...given),
    steps: async (...given) => (await auth.load()).steps(...given),
    authorize: async (...given) => (await auth.load()).authorize(...given),
    offer: async (...given) => (await auth.load()).offer(...given),
    follow: async (...given) => (await auth.load()).follow(...given),
    finish: async (...given) => (await auth.load()).finish(...given),
    revoke: async (...given) => (await auth.load()).revoke(...given),
    setToken: async (...given) => (await auth.load()).setToken(...given),
    removeToken: async (...given) => (await auth.load()).removeToken(...given),
    clientDocument: () => clientDocument(parts.publicUrl),
  };
}
