/** Tokens that upstreams gave to people, or to everybody who uses a connection. */
import { typeId } from '@parley/kit';
import type { Queryable, SecretBox, Store, StoreTransaction } from '@parley/store';
import type { ClientAuthMethod, ConnectionTables, DownstreamTokenRow, PersonalTokenRow } from '../schema.ts';
import { maskedUrl } from '../secrets/masking.ts';
import type { TokenSecrets } from '../secrets/vault.ts';
import { openToken, sealToken } from '../secrets/vault.ts';
import type { GatewaySettings } from '../shapes/gateway-settings.ts';

/** For whom a token is; no user means everybody. */
export interface TokenOwner {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly userId: string | null;
}

export interface NewToken extends TokenSecrets {
  readonly scope?: string;
  readonly expiresAt?: number;
  readonly tokenEndpoint?: string;
  readonly clientId?: string;
  readonly issuer?: string;
  readonly resource?: string;
  readonly revocationEndpoint?: string;
  readonly authMethod?: ClientAuthMethod;
}

/** The topic under which a token that came, changed or went is announced; the payload is `tokenPlace` of it. */
export const TOKENS_CHANGED = 'upstream-tokens';

/** A token in a signal: whose, and of which connection. */
export function tokenPlace({ organizationId, connectionId, userId }: TokenOwner): string {
  return `${organizationId} ${connectionId} ${userId ?? ''}`;
}

interface Parts {
  readonly store: Store;
  readonly now: () => number;
}

/** Keeps a token in the place of the one before it. */
export async function saveToken({ store, now }: Parts, owner: TokenOwner, token: NewToken): Promise<void> {
  await store.transaction((tx) => keepToken(tx, store.secrets, owner, { token, now: now() }));
}

/** The same in a transaction of others. */
export async function keepToken(
  tx: StoreTransaction,
  box: SecretBox,
  owner: TokenOwner,
  { token, now }: { token: NewToken; now: number },
): Promise<void> {
  const { organizationId, connectionId, userId } = owner;
  const { scope, expiresAt, tokenEndpoint, clientId, issuer, resource } = token;
  const shown = tokenEndpoint === undefined ? undefined : maskedUrl(tokenEndpoint);
  const endpoint = tokenEndpoint === undefined || shown === tokenEndpoint ? {} : { endpoint: tokenEndpoint };
  const changing = {
    secrets: sealed(box, owner, { ...token, ...endpoint }),
    scope: scope ?? null,
    expires_at: expiresAt ?? null,
    token_endpoint: shown ?? null,
    client_id: clientId ?? null,
    issuer: issuer ?? null,
    resource: resource ?? null,
    revocation_endpoint: token.revocationEndpoint ?? null,
    auth_method: token.authMethod ?? null,
    ...SETTLED,
    updated_at: now,
  };
  await tx
    .db<ConnectionTables>()
    .insertInto('downstream_tokens')
    .values({
      id: typeId('dtok', now),
      organization_id: organizationId,
      connection_id: connectionId,
      user_id: userId ?? '',
      created_at: now,
      version: 1,
      ...changing,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['connection_id', 'user_id'])
        .doUpdateSet((row) => ({ ...changing, version: row('downstream_tokens.version', '+', 1) })),
    )
    .execute();
  await tx.signal(TOKENS_CHANGED, tokenPlace(owner));
}

/** A token that works, as far as anybody knows. */
export const SETTLED = {
  needs_reauth: 0,
  lease_owner: null,
  lease_until: null,
  retry_at: null,
  failures: 0,
} as const;

/** Seals what is secret of a token, for the pair that its row is unique for, so that it survives a replacement. */
export function sealed(
  box: SecretBox,
  { organizationId, connectionId, userId }: TokenOwner,
  { access, refresh, clientSecret, endpoint }: TokenSecrets,
): string {
  const place = { id: placeOf(connectionId, userId ?? ''), organization_id: organizationId };
  return sealToken(box, place, {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(endpoint !== undefined && { endpoint }),
  });
}

/** Opens what is secret of a row. */
export function openedToken(box: SecretBox, row: DownstreamTokenRow): TokenSecrets {
  const { organization_id, connection_id, user_id, secrets } = row;
  return openToken(box, { id: placeOf(connection_id, user_id), organization_id, secrets });
}

/** Whose token calls carry: everybody's own, one for all, or the own one where there is one. */
export type TokenMode = GatewaySettings['oauth'];

/** The row of the token that a call of this person would carry. */
export async function grantedRowOf(
  from: Queryable,
  { organizationId, connectionId, userId }: TokenOwner,
  mode?: TokenMode,
): Promise<DownstreamTokenRow | undefined> {
  const own = userId === null || userId === '' ? [] : [userId];
  const owners = mode === 'shared' ? [''] : mode === 'personal' ? own : ['', ...own];
  if (owners.length === 0) return undefined;
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('downstream_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('user_id', 'in', owners)
    .execute();
  return rows.find(({ user_id }) => user_id !== '') ?? rows[0];
}

/** The row of exactly this owner. */
export function tokenRowOf(
  from: Queryable,
  { organizationId, connectionId, userId }: TokenOwner,
): Promise<DownstreamTokenRow | undefined> {
  return from
    .db<ConnectionTables>()
    .selectFrom('downstream_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('user_id', '=', userId ?? '')
    .executeTakeFirst();
}

/** Forgets a token; false when there was none. */
export async function dropToken(tx: StoreTransaction, owner: TokenOwner): Promise<boolean> {
  const { organizationId, connectionId, userId } = owner;
  const { numDeletedRows } = await tx
    .db<ConnectionTables>()
    .deleteFrom('downstream_tokens')
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('user_id', '=', userId ?? '')
    .executeTakeFirst();
  await tx.signal(TOKENS_CHANGED, tokenPlace(owner));
  return numDeletedRows > 0n;
}

/** True when a server gave a token to anybody, or somebody brought one for it. */
export async function hasTokens(
  from: Queryable,
  { organizationId, connectionId }: Omit<TokenOwner, 'userId'>,
): Promise<boolean> {
  for (const table of ['downstream_tokens', 'personal_tokens'] as const) {
    const found = await from
      .db<ConnectionTables>()
      .selectFrom(table)
      .select('connection_id')
      .where('organization_id', '=', organizationId)
      .where('connection_id', '=', connectionId)
      .limit(1)
      .executeTakeFirst();
    if (found !== undefined) return true;
  }
  return false;
}

/** Which tokens are meant. */
export interface TokenFilter {
  readonly organizationId: string;
  readonly connectionId?: string;
  /** Of these alone; empty: what is for everybody. */
  readonly userIds?: readonly string[];
}

const MOST_TOKENS = 1000;

/** What servers gave and people brought, still sealed; the newest of very many. */
export async function storedTokens(
  from: Queryable,
  { organizationId, connectionId, userIds }: TokenFilter,
): Promise<{ readonly granted: DownstreamTokenRow[]; readonly personal: PersonalTokenRow[] }> {
  const db = from.db<ConnectionTables>();
  const granted = db
    .selectFrom('downstream_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(connectionId !== undefined, (query) => query.where('connection_id', '=', connectionId ?? ''))
    .$if(userIds !== undefined, (query) => query.where('user_id', 'in', userIds ?? []));
  const personal = db
    .selectFrom('personal_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(connectionId !== undefined, (query) => query.where('connection_id', '=', connectionId ?? ''))
    .$if(userIds !== undefined, (query) => query.where('user_id', 'in', userIds ?? []));
  return {
    granted: await granted.orderBy('updated_at', 'desc').limit(MOST_TOKENS).execute(),
    personal: await personal.orderBy('updated_at', 'desc').limit(MOST_TOKENS).execute(),
  };
}

/** The connections of an organization for which anybody has a token. */
export async function connectionsWithTokens(
  from: Queryable,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const db = from.db<ConnectionTables>();
  const ids = new Set<string>();
  for (const table of ['downstream_tokens', 'personal_tokens'] as const) {
    const rows = await db
      .selectFrom(table)
      .select('connection_id')
      .distinct()
      .where('organization_id', '=', organizationId)
      .execute();
    for (const { connection_id } of rows) ids.add(connection_id);
  }
  return ids;
}

function placeOf(connectionId: string, userId: string): string {
  return `${connectionId}/${userId}`;
}
