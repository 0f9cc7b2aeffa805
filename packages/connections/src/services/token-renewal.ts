/** Renewing a token: one process at a time has the right to, and writes down what came of it. */
import { typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { ConnectionTables, DownstreamTokenRow } from '../schema.ts';
import type { NewToken, TokenOwner } from './tokens.ts';
import { openedToken, sealed, SETTLED, TOKENS_CHANGED, tokenPlace } from './tokens.ts';

/** Who a row is for. */
export function ownerOfRow({ organization_id, connection_id, user_id }: DownstreamTokenRow): TokenOwner {
  return { organizationId: organization_id, connectionId: connection_id, userId: user_id };
}

/** Takes the right to renew a token that nobody has renewed since it was read; undefined when another has it. */
export async function leaseToken(
  store: Store,
  row: DownstreamTokenRow,
  { by, now, untilMs }: { by: string; now: number; untilMs: number },
): Promise<DownstreamTokenRow | undefined> {
  return store
    .db<ConnectionTables>()
    .updateTable('downstream_tokens')
    .set({ lease_owner: by, lease_until: untilMs })
    .where('connection_id', '=', row.connection_id)
    .where('user_id', '=', row.user_id)
    .where('version', '=', row.version)
    .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst();
}

/** What came of renewing. */
export type Renewal =
  | { readonly kind: 'renewed'; readonly token: Pick<NewToken, 'access' | 'refresh' | 'expiresAt' | 'scope'> }
  /** It may work the next time, so nothing is given up. */
  | { readonly kind: 'failed'; readonly retryAt: number }
  /** The person has to authorise again; `isUseless`: what they have works no more, whatever its time. */
  | { readonly kind: 'refused'; readonly isUseless: boolean };

/**
 * Writes it down; false when the token was replaced or taken away meanwhile, which then stands. A new token counts also
 * when the lease was lost: whoever asked meanwhile showed the same refresh token, and may have been refused for it.
 */
export async function keepRenewal(
  tx: StoreTransaction,
  box: Store['secrets'],
  leased: DownstreamTokenRow,
  { renewal, now }: { renewal: Renewal; now: number },
): Promise<boolean> {
  const owner = ownerOfRow(leased);
  const held = renewal.kind === 'renewed' ? await sameToken(tx, box, leased) : leased;
  if (held === undefined) return false;
  const { numUpdatedRows } = await tx
    .db<ConnectionTables>()
    .updateTable('downstream_tokens')
    .set((row) => ({
      ...changesOf(box, leased, renewal, now),
      version: row('version', '+', 1),
      updated_at: now,
    }))
    .where('connection_id', '=', leased.connection_id)
    .where('user_id', '=', leased.user_id)
    .where('version', '=', held.version)
    .$if(held === leased, (query) => query.where('lease_owner', '=', leased.lease_owner))
    .executeTakeFirst();
  await tx.signal(TOKENS_CHANGED, tokenPlace(owner));
  return numUpdatedRows === 1n;
}

/** The row as it is now, kept from others, when it still has what was shown or only lost it; undefined: it has another. */
async function sameToken(
  tx: StoreTransaction,
  box: Store['secrets'],
  leased: DownstreamTokenRow,
): Promise<DownstreamTokenRow | undefined> {
  const query = tx
    .db<ConnectionTables>()
    .selectFrom('downstream_tokens')
    .selectAll()
    .where('connection_id', '=', leased.connection_id)
    .where('user_id', '=', leased.user_id);
  const row = await tx.locked(query).executeTakeFirst();
  if (row === undefined) return undefined;
  const [now, shown] = [openedToken(box, row), openedToken(box, leased)];
  if (now.access !== shown.access) return undefined;
  const isRefused = row.needs_reauth === 1 && now.refresh === undefined;
  return isRefused || now.refresh === shown.refresh ? row : undefined;
}

function changesOf(box: Store['secrets'], leased: DownstreamTokenRow, renewal: Renewal, now: number) {
  const free = { lease_owner: null, lease_until: null };
  if (renewal.kind === 'failed') return { ...free, retry_at: renewal.retryAt, failures: leased.failures + 1 };
  const owner = ownerOfRow(leased);
  const { refresh, ...before } = openedToken(box, leased);
  if (renewal.kind === 'refused') {
    const secrets = sealed(box, owner, before);
    const ended = renewal.isUseless ? { expires_at: now } : {};
    return { ...free, ...ended, secrets, retry_at: null, failures: 0, needs_reauth: 1 as const };
  }
  const { token } = renewal;
  // A server that gives no new refresh token means the old one.
  const kept = token.refresh ?? refresh;
  const secrets = { ...before, access: token.access, ...(kept !== undefined && { refresh: kept }) };
  return {
    ...SETTLED,
    secrets: sealed(box, owner, secrets),
    expires_at: token.expiresAt ?? null,
    scope: token.scope ?? leased.scope,
    updated_at: now,
  };
}

/** Makes room for the token of a client that signs in by itself; one that is there stays as it is. */
export async function placeToken(
  store: Store,
  owner: TokenOwner,
  { resource, now }: { readonly resource: string | null; readonly now: number },
): Promise<void> {
  await store
    .db<ConnectionTables>()
    .insertInto('downstream_tokens')
    .values({
      id: typeId('dtok', now),
      organization_id: owner.organizationId,
      connection_id: owner.connectionId,
      user_id: owner.userId ?? '',
      secrets: sealed(store.secrets, owner, { access: '' }),
      scope: null,
      expires_at: 0,
      token_endpoint: null,
      client_id: null,
      issuer: null,
      resource,
      revocation_endpoint: null,
      auth_method: null,
      ...SETTLED,
      version: 0,
      created_at: now,
      updated_at: 0,
    })
    .onConflict((conflict) => conflict.columns(['connection_id', 'user_id']).doNothing())
    .execute();
}
