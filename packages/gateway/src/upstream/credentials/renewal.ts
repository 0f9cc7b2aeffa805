/** Renewing tokens: once for everybody who waits, in whatever process they do, and without giving up too early. */
import { randomUUID } from 'node:crypto';
import type { ConnectionRow, DownstreamTokenRow, OAuthClient, Renewal } from '@parley/connections';
import {
  findRow,
  keepRenewal,
  leaseToken,
  openConnection,
  openedToken,
  ownerOfRow,
  signsInItself,
  tokenPlace,
  tokenRowOf,
  TOKENS_CHANGED,
} from '@parley/connections';
import { MANAGEMENT_EVENTS } from '@parley/events';
import type { StoreTransaction } from '@parley/store';
import { clientAuth, storedClient } from './clients.ts';
import { oauthFetch } from './oauth-fetch.ts';
import type { CredentialParts } from './parts.ts';
import { oauthReach } from './parts.ts';
import { givenToken } from './token-answer.ts';

/** Why a token is renewed: its time is nearly over, or its server refused it. */
export type RenewReason = 'due' | 'refused';

/** Renews tokens. */
export interface Renewals {
  /** The row as it is afterwards, renewed or not; undefined when it is gone. */
  renewed(row: DownstreamTokenRow, reason: RenewReason): Promise<DownstreamTokenRow | undefined>;
}

// Longer than a token endpoint may take, so that nobody else begins while it is asked.
const LEASE_MS = 30_000;
const LOOK_AGAIN_MS = 1000;
const WAIT_MS = 20_000;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 5 * 60_000;
const LONGEST_RETRY_MS = 3_600_000;

export function createRenewals(parts: CredentialParts): Renewals {
  const { store, now } = parts;
  const running = new Map<string, Promise<DownstreamTokenRow | undefined>>();

  async function renew(
    first: DownstreamTokenRow,
    reason: RenewReason,
  ): Promise<DownstreamTokenRow | undefined> {
    const giveUpAt = performance.now() + WAIT_MS;
    for (let row = first; ;) {
      if ((row.retry_at ?? 0) > now()) return row;
      const lease = { by: randomUUID(), now: now(), untilMs: now() + LEASE_MS };
      const leased = await leaseToken(store, row, lease);
      if (leased !== undefined) return renewLeased(leased, reason);
      // Listening before looking: the other process may be done in between.
      const changed = store.signal.wait(TOKENS_CHANGED, { timeoutMs: LOOK_AGAIN_MS });
      const current = await tokenRowOf(store, ownerOfRow(row));
      // Whatever the other one came to holds for everybody who waited for it.
      if (current === undefined || current.version !== row.version || performance.now() > giveUpAt)
        return current;
      row = current;
      await changed;
    }
  }

  async function renewLeased(
    leased: DownstreamTokenRow,
    reason: RenewReason,
  ): Promise<DownstreamTokenRow | undefined> {
    const owner = ownerOfRow(leased);
    const connection = await findRow(store, leased.organization_id, leased.connection_id);
    if (connection === undefined) return undefined;
    const renewal = await outcomeOf(parts, connection, leased, reason);
    await store.transaction(async (tx) => {
      const isKept = await keepRenewal(tx, store.secrets, leased, { renewal, now: now() });
      if (isKept && renewal.kind === 'refused') await tellRefused(parts, tx, connection, leased);
    });
    return tokenRowOf(store, owner);
  }

  return {
    renewed(row, reason) {
      const key = tokenPlace(ownerOfRow(row));
      const known = running.get(key);
      if (known !== undefined) return known;
      const work = renew(row, reason).finally(() => running.delete(key));
      running.set(key, work);
      return work;
    },
  };
}

/** Tells that somebody has to authorise again. */
async function tellRefused(
  { events }: CredentialParts,
  tx: StoreTransaction,
  { id, title, connection_type }: ConnectionRow,
  { organization_id: organizationId, user_id }: DownstreamTokenRow,
): Promise<void> {
  const data = { id, title, connection_type, user_id: user_id === '' ? null : user_id };
  const { of } = MANAGEMENT_EVENTS['connection.auth_required'];
  await events.publish(tx, of({ organizationId, subject: id, data }));
}

/** How a token is renewed: with what is stored for a client that signs in by itself, else as it was come by. */
function wayOf(box: CredentialParts['store']['secrets'], connection: ConnectionRow, row: DownstreamTokenRow) {
  const config = signsInItself(connection) ? openConnection(box, connection).oauth_config : null;
  if (config !== null)
    return { config, client: storedClient(config), tokenEndpoint: config.tokenEndpoint, refresh: undefined };
  const { refresh, clientSecret, endpoint } = openedToken(box, row);
  const tokenEndpoint = endpoint ?? row.token_endpoint;
  if (tokenEndpoint === null || row.client_id === null) return undefined;
  const client: OAuthClient = {
    clientId: row.client_id,
    authMethod: row.auth_method ?? 'none',
    ...(clientSecret !== undefined && { clientSecret }),
  };
  return { config, client, tokenEndpoint, refresh };
}

/** Asks the token endpoint; only its clear word ends a token, everything else may pass. */
async function outcomeOf(
  parts: CredentialParts,
  connection: ConnectionRow,
  leased: DownstreamTokenRow,
  reason: RenewReason,
): Promise<Renewal> {
  const { store, now, onFault } = parts;
  const retryMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(leased.failures, 10));
  const failed = (waitMs = retryMs): Renewal => ({ kind: 'failed', retryAt: now() + waitMs });
  const reach = oauthReach(parts, connection);
  const way = wayOf(store.secrets, connection, leased);
  if (reach === undefined || way === undefined) return failed();
  const { config, client, tokenEndpoint, refresh } = way;
  const { resource } = leased;
  const oauth = await import('oauth4webapi');
  const as = { issuer: leased.issuer ?? new URL(tokenEndpoint).origin, token_endpoint: tokenEndpoint };
  const own = { client_id: client.clientId };
  const auth = await clientAuth(client);
  const options = { [oauth.customFetch]: oauthFetch(reach), [oauth.allowInsecureRequests]: true };
  const additionalParameters = resource === null ? {} : { resource };
  try {
    let answer: Response;
    if (config !== null) {
      const scope = config.scopes.length === 0 ? {} : { scope: config.scopes.join(' ') };
      const asked = { ...scope, ...additionalParameters };
      answer = await oauth.clientCredentialsGrantRequest(as, own, auth, asked, options);
    } else if (refresh !== undefined) {
      const asked = { ...options, additionalParameters };
      answer = await oauth.refreshTokenGrantRequest(as, own, auth, refresh, asked);
    } else return { kind: 'refused', isUseless: reason === 'refused' };
    if (answer.status === 429) return failed(retryAfterOf(answer) ?? retryMs);
    const given = await oauth.processGenericTokenEndpointResponse(as, own, answer);
    const token = givenToken(given, now());
    return token === undefined ? failed() : { kind: 'renewed', token };
  } catch (error) {
    const isOver = error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant';
    // A client that signs in by itself has nobody who could authorise it again.
    if (isOver && config === null) return { kind: 'refused', isUseless: reason === 'refused' };
    onFault(new Error(`A token was not renewed: ${nameOf(error)}`), 'credentials');
    return failed();
  }
}

function retryAfterOf(answer: Response): number | undefined {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return seconds > 0 ? Math.min(seconds * 1000, LONGEST_RETRY_MS) : undefined;
}

/** What may go into the log: neither the request nor the answer, which hold tokens. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
