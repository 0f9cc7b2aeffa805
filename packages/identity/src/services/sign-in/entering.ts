/** The ways in: a link, a password or a key, each to a session; whatever was wrong, the answer is the same. */
import type { Store, StoreTransaction } from '@parley/store';
import type { IdentityTables } from '../../schema.ts';
import type { Attempt } from './attempts.ts';
import { beginAttempt, forgetAttempts } from './attempts.ts';
import { takeLink } from './links.ts';
import type { PasskeyAnswer, Site } from './passkeys.ts';
import type { Asker } from './passwords.ts';
import { isPassword, passwordOf } from './passwords.ts';
import type { OpenedWebSession, SignInPlace } from './web-sessions.ts';
import { openWebSession } from './web-sessions.ts';

/** What somebody shows to be let in. */
export type Shown =
  | { readonly method: 'link'; readonly token: string }
  | { readonly method: 'password'; readonly email: string; readonly password: string }
  | { readonly method: 'key'; readonly key: string }
  | ({ readonly method: 'passkey'; readonly site: Site } & PasskeyAnswer);

/** The same from somebody who is known, and shows once more that it is them. */
export type ShownAgain =
  | { readonly method: 'password'; readonly password: string }
  | Extract<Shown, { readonly method: 'key' | 'passkey' }>;

/** Who a key stands for without any reserve, and where; undefined for any other. */
export type HolderOfKey = (
  key: string,
) => Promise<{ readonly userId: string; readonly organizationId: string } | undefined>;

/** What entering stands on. */
export interface EnterParts {
  readonly now: () => number;
  readonly holderOf: HolderOfKey;
}

interface Found {
  readonly userId: string;
  readonly organizationId?: string;
}

/** Lets somebody in; undefined when what they showed is worth nothing. */
export async function enter(
  store: Store,
  shown: Shown,
  { address, device }: SignInPlace,
  parts: EnterParts,
): Promise<OpenedWebSession | undefined> {
  const attempt = attemptOf(shown, address);
  await beginAttempt(store, attempt, parts.now());
  const find = await finderOf(store, shown, parts, address);
  return store.transaction(async (tx) => {
    const now = parts.now();
    const found = await find(tx);
    const opened = found && (await openWebSession(tx, found, { method: shown.method, device, now }));
    if (opened !== undefined) await forgetAttempts(tx, attempt, now);
    return opened;
  });
}

/** Whether this is the person again. */
export async function isAgain(
  store: Store,
  shown: ShownAgain,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  parts: EnterParts,
): Promise<boolean> {
  // Counted by the session: strangers who guess from the same address must not shut its person out.
  const address = `session ${sessionId}`;
  const attempt = { account: userId, address };
  await beginAttempt(store, attempt, parts.now());
  const find =
    shown.method === 'password'
      ? await byPassword(store, { userId }, { password: shown.password, asker: { address, isKnown: true } })
      : await finderOf(store, shown, parts, address);
  return store.transaction(async (tx) => {
    const isSame = (await find(tx))?.userId === userId;
    if (isSame) await forgetAttempts(tx, attempt, parts.now());
    return isSame;
  });
}

function attemptOf(shown: Shown, address: string): Attempt {
  return { address, account: shown.method === 'password' ? emailOf(shown.email) : undefined };
}

/** Does what takes long outside of the transaction. */
async function finderOf(
  store: Store,
  shown: Shown,
  { now, holderOf }: EnterParts,
  address: string,
): Promise<(tx: StoreTransaction) => Promise<Found | undefined>> {
  switch (shown.method) {
    case 'link':
      return async (tx) => {
        const row = await takeLink(tx, shown.token, now());
        return row && { userId: row.user_id, organizationId: row.organization_id };
      };
    case 'password': {
      const userId = await userWith(store, shown.email);
      const { password } = shown;
      return byPassword(store, userId === undefined ? undefined : { userId }, {
        password,
        asker: { address },
      });
    }
    case 'key': {
      const holder = await holderOf(shown.key);
      return async () => holder;
    }
    case 'passkey': {
      const { holderOfPasskey } = await import('./passkeys.ts');
      const userId = await holderOfPasskey(store, shown, now());
      return async () => (userId === undefined ? undefined : { userId });
    }
  }
}

async function byPassword(
  store: Store,
  found: Found | undefined,
  { password, asker }: { readonly password: string; readonly asker: Asker },
) {
  const kept = found && (await passwordOf(store, found.userId));
  const isTheirs = await isPassword(password, kept, asker);
  return async (tx: StoreTransaction) => {
    // Who changed it meanwhile has shut everybody out who knows the old one.
    const isStill = isTheirs && found !== undefined && (await passwordOf(tx, found.userId)) === kept;
    return isStill ? found : undefined;
  };
}

function emailOf(given: string): string {
  return given.trim().toLowerCase();
}

async function userWith(store: Store, email: string): Promise<string | undefined> {
  const row = await store
    .db<IdentityTables>()
    .selectFrom('users')
    .select('id')
    .where('email', '=', emailOf(email))
    .executeTakeFirst();
  return row?.id;
}
