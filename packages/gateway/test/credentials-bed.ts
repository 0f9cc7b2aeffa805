/** Credentials over a real store and a real OAuth provider, for the tests of all their parts. */
import type { AuthBrowser, ConnectionCreate, UpstreamTarget } from '@parley/connections';
import {
  callBackGrantsOf,
  CONNECTIONS_CHANGED,
  connectionMigrations,
  createConnections,
} from '@parley/connections';
import type { NewEvent } from '@parley/events';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { BedOrganization } from '@parley/identity/testing';
import { settle } from '@parley/identity/testing';
import type { Caller, Grants } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import type { MigrationSet, Store } from '@parley/store';
import type { OAuthProvider } from '@parley/test-support/oauth-provider';
import { guardWith, startOAuthProvider } from '@parley/test-support/oauth-provider';
import type { ScriptedServer } from '@parley/test-support/scripted-server';
import { serveForTest } from '@parley/test-support/scripted-server';
import { onTestFinished } from 'vitest';
import { createConnectionAuth } from '../src/upstream/credentials/connection-auth.ts';
import type { CredentialParts } from '../src/upstream/credentials/parts.ts';
import { createTargets } from '../src/upstream/credentials/targets.ts';
import { UpstreamFault } from '../src/upstream/link.ts';

export const CREDENTIAL_MIGRATIONS: MigrationSet[] = [identityMigrations, connectionMigrations];

/** Where browsers reach the server under test; nobody listens there. */
export const BASE_URL = 'http://localhost:4680';

/** The browser of whoever authorises something; nobody is signed in there. */
export const BROWSER = { nonce: 'of-one-browser' };

/** What a test may choose. */
export interface CredentialsOptions {
  readonly clock?: { nowMs: number };
  readonly publicUrl?: string;
}

/** Everything on a migrated store. */
export async function openCredentials(store: Store, options: CredentialsOptions = {}) {
  await store.migrate(CREDENTIAL_MIGRATIONS);
  const { clock = { nowMs: Date.now() } } = options;
  const process = startCredentials(store, { ...options, clock });
  const { identity } = process;
  const acme = await settle(identity, 'acme');
  const rival = await settle(identity, 'rival');
  const provider = await startOAuthProvider();
  onTestFinished(() => provider[Symbol.asyncDispose]());
  const upstream = await startNotes(provider);
  const create = (as: Caller, data: Partial<ConnectionCreate> = {}) =>
    process.create(as, { connection_url: `${upstream.origin}/mcp`, ...data });
  return { ...process, clock, acme, rival, provider, upstream, create };
}

export type CredentialsBed = Awaited<ReturnType<typeof openCredentials>>;

/** One process on a store. */
export function startCredentials(store: Store, options: CredentialsOptions & { clock: { nowMs: number } }) {
  const now = () => options.clock.nowMs;
  const identity = createIdentity(store, { now });
  const grantsOf = (organizationId: string, id: string) => callBackGrantsOf(store, organizationId, id);
  identity.serveCallBacks({ topic: CONNECTIONS_CHANGED, grantsOf });
  const egress = createEgress({ allow: ['127.0.0.1'] });
  const published: NewEvent[] = [];
  const faults: unknown[] = [];
  const events = {
    publish: async (_tx: unknown, event: NewEvent) => {
      published.push(event);
    },
    subscribers: { resume: async () => undefined, forget: async () => undefined },
  };
  const callerOf = async (organizationId: string, userId: string) => {
    const member = await identity.memberOf(organizationId, userId);
    return member && identity.callerOfMember(organizationId, member.id);
  };
  const parts = {
    store,
    egress,
    // As much of events as connections use.
    events: events as unknown as CredentialParts['events'],
    audit: identity.audit,
    now,
    onFault: (error: unknown) => {
      faults.push(error);
    },
    callerOf,
    callTokenFor: (caller: Caller, id: string, grants: Grants) => identity.callTokenFor(caller, id, grants),
    baseUrl: () => options.publicUrl ?? BASE_URL,
    publicUrl: options.publicUrl,
  };
  const targets = createTargets(parts);
  const connections = createConnections({
    store,
    events: events as unknown as Parameters<typeof createConnections>[0]['events'],
    audit: identity.audit,
    upstream: {
      isStdioAllowed: false,
      test: async () => ({ ok: true }),
      discover: async () => ({ ok: true, tools: [] }),
      call: async () => ({ ok: true, outcome: 'answered', data: {} }),
    },
    checkCode: async () => undefined,
    ownServer: async () => undefined,
    isToolset: () => false,
    now,
  });
  onTestFinished(async () => {
    targets.close();
    identity.close();
    await egress.close();
  });
  const auth = createConnectionAuth(parts);
  /** Where the browser of a person is sent, by way of the page that begins an authorization. */
  const leave = async (as: Caller, id: string, browser: AuthBrowser = BROWSER): Promise<string> => {
    const { url } = await auth.authorize(as, id);
    return (await auth.follow(url.split('/').at(-1) ?? '', browser)).url;
  };
  return {
    store,
    parts,
    identity,
    targets,
    connections,
    auth,
    leave,
    published,
    faults,
    async create(as: Caller, data: Partial<ConnectionCreate>): Promise<string> {
      const all = { title: 'Notes', connection_type: 'HTTP' as const, ...data };
      return (await connections.create(as, all)).id;
    },
    /** The whole way of a person through their browser. */
    async authorize(as: Caller, id: string, provider: OAuthProvider) {
      return auth.finish((await provider.browse(await leave(as, id))).searchParams, BROWSER);
    },
  };
}

/** A server that answers with the account whose token it was sent, and what else came along. */
async function startNotes(provider: OAuthProvider): Promise<ScriptedServer> {
  const guard = guardWith(provider);
  return serveForTest((request, response) => {
    if (guard(request, response)) return;
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    response.end(JSON.stringify({ account: provider.accountOf(token) }));
  });
}

/** Sends a target's credentials to its server, as a link would. */
export async function send(
  { url, token, headers }: UpstreamTarget,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await fetch(url ?? '', {
    method: 'POST',
    headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers, ...more },
  });
  const text = await answer.text();
  if (answer.status === 401) throw new UpstreamFault('auth_required', 'The server answered 401.');
  return (JSON.parse(text) as { account: string }).account;
}

/** What a call of somebody comes back with: the account, or the kind of the fault. */
export async function called(
  { targets }: Pick<CredentialsBed, 'targets'>,
  caller: Caller,
  id: string,
): Promise<string> {
  return targets.through(caller, id, (target, headers) => send(target, headers)).catch(kindOf);
}

export function kindOf(error: unknown): string {
  if (error instanceof UpstreamFault) return error.kind;
  throw error;
}

export type { BedOrganization };
