/** How people stand with the servers of connections: one with one, one with all, and all with one. */
import type { AuthState, ConnectionRow, PersonAuth, SealedCredentials } from '@parley/connections';
import {
  connectionsWithTokens,
  gatewaySettingsOf,
  grantTypeOf,
  mayUse,
  openedToken,
  signsInItself,
  storedTokens,
  tokenState,
  usedRows,
} from '@parley/connections';
import type { Caller } from '@parley/kit';
import type { SecretBox, Store } from '@parley/store';
import type { CredentialParts } from './parts.ts';

/** Those of these connections that a caller may use. */
export async function usableRows(
  store: Store,
  caller: Caller,
  ids: readonly string[],
): Promise<ConnectionRow[]> {
  const rows = await usedRows(store, caller.organizationId, ids);
  return rows.filter(({ id }) => mayUse(caller, id));
}

type Parts = Pick<CredentialParts, 'store' | 'now'>;

/** How somebody stands with each of some connections, by id. */
export async function authStates(
  rows: readonly (ConnectionRow & { readonly failed_with?: string | null })[],
  { parts: { store, now }, userId }: { readonly parts: Parts; readonly userId: string | null },
): Promise<Map<string, AuthState>> {
  const [first] = rows;
  if (first === undefined) return new Map();
  const organizationId = first.organization_id;
  const userIds = ['', ...(userId === null ? [] : [userId])];
  const { granted, personal } = await storedTokens(store, { organizationId, userIds });
  const usual = await connectionsWithTokens(store, organizationId);
  return new Map(
    rows.map((row) => {
      const settings = gatewaySettingsOf(row);
      const given = granted.filter(({ connection_id }) => connection_id === row.id);
      const brought = personal.filter(({ connection_id }) => connection_id === row.id);
      const mode = signsInItself(row) ? 'shared' : settings.oauth;
      const own =
        mode === 'shared' ? undefined : given.find(({ user_id }) => user_id !== '' && user_id === userId);
      const shared = mode === 'personal' ? undefined : given.find(({ user_id }) => user_id === '');
      const sealed: SealedCredentials = {
        row,
        settings,
        granted: own ?? shared,
        personal:
          settings.personalToken === undefined
            ? undefined
            : brought.find(({ user_id }) => user_id === userId),
      };
      const state = authStateOf(sealed, {
        box: store.secrets,
        now: now(),
        isUsual: usual.has(row.id),
        isRefused: row.failed_with === 'auth_required' && row.status !== 'inactive',
      });
      return [row.id, state];
    }),
  );
}

/** Everybody who has brought something for a connection, or was given something. */
export async function peopleOf({ store, now }: Parts, row: ConnectionRow): Promise<PersonAuth[]> {
  const { organization_id: organizationId, id: connectionId } = row;
  const { granted, personal } = await storedTokens(store, { organizationId, connectionId });
  const settings = gatewaySettingsOf(row);
  if (settings.personalToken !== undefined)
    return personal.map(({ user_id: userId, updated_at }) => {
      return { userId, kind: 'personal_token', state: 'ok', expiresAt: null, updatedAt: updated_at };
    });
  return granted.map((token) => {
    const canRenew = signsInItself(row) || openedToken(store.secrets, token).refresh !== undefined;
    return {
      userId: token.user_id === '' ? null : token.user_id,
      kind: 'oauth',
      state: tokenState(token, { canRenew, now: now() }),
      expiresAt: token.expires_at,
      updatedAt: token.updated_at,
    };
  });
}

/** How somebody stands, by what is stored. */
export function authStateOf(
  { row, settings, granted, personal }: SealedCredentials,
  {
    box,
    now,
    isUsual,
    isRefused,
  }: {
    readonly box: SecretBox;
    readonly now: number;
    /** Somebody has authorised it, so others will have to. */
    readonly isUsual: boolean;
    /** The server did not take what the connection itself has, or has not. */
    readonly isRefused: boolean;
  },
): AuthState {
  const isShared = settings.oauth === 'shared' || granted?.user_id === '' || signsInItself(row);
  const plain = { isShared: false, expiresAt: null, scope: null };
  if (settings.personalToken !== undefined)
    return { kind: 'personal_token', state: personal === undefined ? 'never' : 'ok', ...plain };
  const isOAuth = isUsual || settings.oauth !== undefined || grantTypeOf(row) !== undefined;
  if (!isOAuth) return { kind: 'none', state: isRefused ? 'needs_reauth' : 'ok', ...plain };
  const canRenew =
    signsInItself(row) || (granted !== undefined && openedToken(box, granted).refresh !== undefined);
  return {
    kind: 'oauth',
    state: tokenState(granted, { canRenew, now }),
    isShared,
    expiresAt: granted?.expires_at ?? null,
    scope: granted?.scope ?? null,
  };
}
