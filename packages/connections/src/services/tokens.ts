/** Tokens that upstreams gave to people, or to everybody who uses a connection. */
import { typeId } from '@parley/kit';
import type { Queryable, SecretBox, Store } from '@parley/store';
import type { ConnectionTables, DownstreamTokenRow } from '../schema.ts';
import type { TokenSecrets } from '../secrets/vault.ts';
import { openToken, sealToken } from '../secrets/vault.ts';

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
}

/** Keeps a token in the place of the one before it. */
export async function saveToken(
  { store, now }: { readonly store: Store; readonly now: () => number },
  { organizationId, connectionId, userId }: TokenOwner,
  token: NewToken,
): Promise<void> {
  const { access, refresh, clientSecret, scope, expiresAt, tokenEndpoint, clientId } = token;
  // The seal is bound to the pair that the row is unique for, so that it survives a replacement.
  const place = { id: placeOf(connectionId, userId ?? ''), organization_id: organizationId };
  const secrets = sealToken(store.secrets, place, {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(clientSecret !== undefined && { clientSecret }),
  });
  const changing = {
    secrets,
    scope: scope ?? null,
    expires_at: expiresAt ?? null,
    token_endpoint: tokenEndpoint ?? null,
    client_id: clientId ?? null,
    needs_reauth: 0 as const,
    updated_at: now(),
  };
  await store
    .db<ConnectionTables>()
    .insertInto('downstream_tokens')
    .values({
      id: typeId('dtok', now()),
      organization_id: organizationId,
      connection_id: connectionId,
      user_id: userId ?? '',
      created_at: now(),
      ...changing,
    })
    .onConflict((conflict) => conflict.columns(['connection_id', 'user_id']).doUpdateSet(changing))
    .execute();
}

/** The token that a call of this person would carry: their own, else the one for everybody. */
export async function grantedTokenOf(
  from: Queryable,
  box: SecretBox,
  { organizationId, connectionId, userId }: TokenOwner,
): Promise<TokenSecrets | undefined> {
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('downstream_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('user_id', 'in', ['', userId ?? ''])
    .execute();
  const found = rows.find(({ user_id }) => user_id === userId) ?? rows.find(({ user_id }) => user_id === '');
  return found && openToken(box, placed(found));
}

/** True when a server gave a token to anybody. */
export async function hasTokens(
  from: Queryable,
  { organizationId, connectionId }: Omit<TokenOwner, 'userId'>,
): Promise<boolean> {
  const found = await from
    .db<ConnectionTables>()
    .selectFrom('downstream_tokens')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function placed({ organization_id, connection_id, user_id, secrets }: DownstreamTokenRow) {
  return { id: placeOf(connection_id, user_id), organization_id, secrets };
}

function placeOf(connectionId: string, userId: string): string {
  return `${connectionId}/${userId}`;
}
