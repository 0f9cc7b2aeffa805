/** What is kept of OAuth besides tokens: clients that were registered, and authorizations that somebody has begun. */
import { hash } from 'node:crypto';
import type { Queryable, SecretBox, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { ClientAuthMethod, ConnectionTables, OAuthFlowRow } from '../schema.ts';
import { openText, sealText } from '../secrets/vault.ts';

/** What this server is to an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly authMethod: ClientAuthMethod;
  readonly clientSecret?: string;
}

interface Place {
  readonly organizationId: string;
  readonly connectionId: string;
}

/** Where a client was registered, and for which address of this server. */
interface Registration {
  readonly issuer: string;
  readonly redirectUri: string;
}

/** The client that was registered for a connection; undefined when there is none, or it is over. */
export async function registeredClient(
  from: Queryable,
  box: SecretBox,
  { organizationId, connectionId }: Place,
  { issuer, redirectUri, now }: Registration & { now: number },
): Promise<OAuthClient | undefined> {
  const row = await from
    .db<ConnectionTables>()
    .selectFrom('oauth_clients')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('issuer', '=', issuer)
    .where('redirect_uri', '=', redirectUri)
    .executeTakeFirst();
  if (row === undefined || (row.expires_at ?? Infinity) <= now) return undefined;
  const { client_id: clientId, auth_method: authMethod, secrets } = row;
  if (secrets === null) return { clientId, authMethod };
  const place = { id: connectionId, organization_id: organizationId };
  return { clientId, authMethod, clientSecret: openText(box, place, 'oauth-client', secrets) };
}

export async function keepClient(
  tx: StoreTransaction,
  box: SecretBox,
  { organizationId, connectionId }: Place,
  client: OAuthClient & Registration & { readonly expiresAt: number | null; readonly now: number },
): Promise<void> {
  const place = { id: connectionId, organization_id: organizationId };
  const { clientSecret } = client;
  const changing = {
    issuer: client.issuer,
    redirect_uri: client.redirectUri,
    client_id: client.clientId,
    auth_method: client.authMethod,
    secrets: clientSecret === undefined ? null : sealText(box, place, 'oauth-client', clientSecret),
    expires_at: client.expiresAt,
    created_at: client.now,
  };
  await tx
    .db<ConnectionTables>()
    .insertInto('oauth_clients')
    .values({ connection_id: connectionId, organization_id: organizationId, ...changing })
    .onConflict((conflict) => conflict.column('connection_id').doUpdateSet(changing))
    .execute();
}

/** An authorization under way, without what finishes it. */
export interface FlowPlace extends Place {
  /** Who began it. */
  readonly userId: string;
  /** Whom the token will be for; empty: everybody. */
  readonly tokenUserId: string;
}

const FLOW_MS = 10 * 60_000;
const FLOWS_PER_USER = 20;

/** Keeps what will be needed when the browser comes back with this `state`; a person's oldest flows give way. */
export async function beginFlow(
  tx: StoreTransaction,
  box: SecretBox,
  { organizationId, connectionId, userId, tokenUserId }: FlowPlace,
  { state, parts, now }: { state: string; parts: unknown; now: number },
): Promise<void> {
  const db = tx.db<ConnectionTables>();
  await db.deleteFrom('oauth_flows').where('expires_at', '<=', now).execute();
  const mine = await db
    .selectFrom('oauth_flows')
    .select('state_hash')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .offset(FLOWS_PER_USER - 1)
    .limit(FLOWS_PER_USER)
    .execute();
  const tooMany = mine.map(({ state_hash }) => state_hash);
  if (tooMany.length > 0) await db.deleteFrom('oauth_flows').where('state_hash', 'in', tooMany).execute();
  const state_hash = hashOf(state);
  const place = { id: state_hash, organization_id: organizationId };
  await db
    .insertInto('oauth_flows')
    .values({
      state_hash,
      connection_id: connectionId,
      organization_id: organizationId,
      user_id: userId,
      token_user_id: tokenUserId,
      secrets: sealText(box, place, 'oauth-flow', toJson(parts)),
      expires_at: now + FLOW_MS,
      created_at: now,
    })
    .execute();
}

/** Takes the flow of a `state`, which nobody can take a second time; undefined when there is none. */
export async function takeFlow<Parts>(
  from: Queryable,
  box: SecretBox,
  { state, now }: { state: string; now: number },
): Promise<(FlowPlace & { readonly parts: Parts }) | undefined> {
  const row = await from
    .db<ConnectionTables>()
    .deleteFrom('oauth_flows')
    .where('state_hash', '=', hashOf(state))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined || row.expires_at <= now) return undefined;
  return { ...placeOf(row), parts: fromJson<Parts>(openText(box, sealedAt(row), 'oauth-flow', row.secrets)) };
}

function placeOf(row: OAuthFlowRow): FlowPlace {
  return {
    organizationId: row.organization_id,
    connectionId: row.connection_id,
    userId: row.user_id,
    tokenUserId: row.token_user_id,
  };
}

function sealedAt({ state_hash, organization_id }: OAuthFlowRow) {
  return { id: state_hash, organization_id };
}

function hashOf(state: string): string {
  return hash('sha256', state, 'base64url');
}
