/** Identity: organizations, members and keys behind one object that the whole server shares. */
import type { Caller, Grants, Source } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import type { Store } from '@parley/store';
import type { IdentityTables } from './schema.ts';
import { Authentication, callerOfKey } from './services/authentication.ts';
import type { KeyInfo, NewKey } from './services/keys.ts';
import { createKey, insertKey, listKeys, revokeKey } from './services/keys.ts';
import { addMember, createOrganization, createUser, removeMember, saveRole, setRoles } from './services/members.ts';

/** Everything the server asks of identity. */
export interface Identity {
  /** The caller behind a key, or undefined; answers without waiting when the key is known. */
  authenticate(key: string, source: Source): Caller | undefined | Promise<Caller | undefined>;
  /** The same caller with the rights it has now; undefined when it may do nothing any more. */
  current(caller: Caller): Promise<Caller | undefined>;
  /** First run: one organization, one owner, one owner key, handed to `keep` before it is committed. */
  bootstrap(keep: (keyText: string) => Promise<void>): Promise<boolean>;
  createKey(maker: Caller, input: NewKey): Promise<{ info: KeyInfo; text: string }>;
  listKeys(caller: Caller, options: { all: boolean }): Promise<KeyInfo[]>;
  revokeKey(caller: Caller, idOrPublicId: string): Promise<KeyInfo>;
  /** The caller that a key of the same organization would be, for explanations; undefined when there is none. */
  callerNamed(organizationId: string, idOrNameOfKey: string): Promise<Caller | undefined>;
  createOrganization(input: { slug: string; name: string; owner: { name: string; email: string | null } }): Promise<{ organizationId: string; userId: string }>;
  createUser(input: { name: string; email: string | null }): Promise<string>;
  addMember(input: { organizationId: string; userId: string; roles: readonly string[] }): Promise<string>;
  setRoles(input: { organizationId: string; userId: string; roles: readonly string[] }): Promise<void>;
  removeMember(input: { organizationId: string; userId: string }): Promise<void>;
  saveRole(input: { organizationId: string; name: string; grants: Grants }): Promise<void>;
  organizationName(organizationId: string): Promise<string | undefined>;
  close(): void;
}

/** Options of `createIdentity`. */
export interface IdentityOptions {
  readonly now?: () => number;
  readonly onError?: (error: unknown) => void;
}

/** Creates identity over an open, migrated store. */
export function createIdentity(store: Store, options: IdentityOptions = {}): Identity {
  const now = options.now ?? Date.now;
  const authentication = new Authentication(store, now, options.onError ?? (() => undefined));
  return {
    authenticate: (key, source) => authentication.authenticate(key, source),
    current: (caller) => authentication.current(caller),
    bootstrap: (keep) => bootstrap(store, keep, now()),
    createKey: (maker, input) => createKey(store, maker, input, now()),
    listKeys: (caller, { all }) => listKeys(store, caller, all),
    revokeKey: (caller, id) => revokeKey(store, caller, id, now()),
    callerNamed: (organizationId, name) => callerNamed(store, organizationId, name),
    createOrganization: (input) => store.transaction((tx) => createOrganization(tx, input, now())),
    createUser: (input) => store.transaction((tx) => createUser(tx, input, now())),
    addMember: (input) => store.transaction((tx) => addMember(tx, input, now())),
    setRoles: (input) => store.transaction((tx) => setRoles(tx, input)),
    removeMember: (input) => store.transaction((tx) => removeMember(tx, input)),
    saveRole: (input) => store.transaction((tx) => saveRole(tx, input, now())),
    organizationName: (organizationId) => organizationName(store, organizationId),
    close: () => authentication.close(),
  };
}

async function bootstrap(store: Store, keep: (keyText: string) => Promise<void>, now: number): Promise<boolean> {
  const hasOrganization = (from: Pick<Store, 'db'>) =>
    from.db<IdentityTables>().selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  if ((await hasOrganization(store)) !== undefined) return false;
  return store.transaction(async (tx) => {
    if ((await hasOrganization(tx)) !== undefined) return false;
    const owner = await createOrganization(tx, { slug: 'default', name: 'Default', owner: { name: 'Owner', email: null } }, now);
    const { text } = await insertKey(tx, owner, { name: 'Owner key', grants: ALL_GRANTS, expiresAt: null }, now);
    // Kept before the commit: a key that exists but that nobody has would lock the owner out.
    await keep(text);
    return true;
  });
}

async function callerNamed(store: Store, organizationId: string, name: string): Promise<Caller | undefined> {
  const row = await store
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('id', '=', name), where('public_id', '=', name), where('name', '=', name)]))
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return row === undefined ? undefined : callerOfKey(store, row, 'key');
}

async function organizationName(store: Store, organizationId: string): Promise<string | undefined> {
  const row = await store
    .db<IdentityTables>()
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organizationId)
    .executeTakeFirst();
  return row?.name;
}
