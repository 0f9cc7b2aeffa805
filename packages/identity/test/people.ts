/** An identity over a fresh database, with people in it, for the tests of this package. */
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS, ToolError } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { Store } from '@parley/store';
import { identityMigrations } from '../src/index.ts';
import type { Identity, IdentityOptions, RoleDefaults } from '../src/index.ts';
import { builtInRoles, createIdentity } from '../src/index.ts';

/** One store with identity on it, and a clock that stands still until it is moved. */
export interface Place {
  readonly store: Store;
  readonly identity: Identity;
  readonly clock: { nowMs: number };
}

/** What toolsets would give to the built-in roles. */
export const ROLE_DEFAULTS: RoleDefaults = {
  member: { feedback: ['*'] },
  user: { parley: ['parley_whoami'] },
};

/** What the built-in roles hold then. */
export const BUILT_IN_ROLES = builtInRoles(ROLE_DEFAULTS);

/** Migrates the store and puts identity on it. */
export async function settle(store: Store, options: IdentityOptions = {}): Promise<Place> {
  await store.migrate([identityMigrations]);
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  return {
    store,
    clock,
    identity: createIdentity(store, { now: () => clock.nowMs, roleDefaults: ROLE_DEFAULTS, ...options }),
  };
}

/** A new organization and its owner, acting with everything. */
export async function found(identity: Identity, slug = 'acme'): Promise<Caller> {
  const made = await identity.createOrganization({ slug, name: slug, owner: { name: 'Ada', email: null } });
  return testCaller({ ...made, id: `owner_of_${slug}` });
}

/** A key of the caller's user, and the caller it stands for now. */
export async function keyFor(identity: Identity, maker: Caller, grants: Grants = ALL_GRANTS) {
  const { text, info } = await identity.createKey(maker, { name: 'Key', grants, expiresAt: null });
  return { text, info, caller: async () => identity.authenticate(text, 'key') };
}

/** A new member of the owner's organization with these roles, with a key that may do all they may. */
export async function join(identity: Identity, owner: Caller, roles: readonly string[]) {
  const userId = await identity.createUser({ name: 'Bo', email: null });
  await identity.addMember(owner, { userId, roles });
  const key = await keyFor(identity, { ...owner, userId });
  return { userId, key };
}

/** The code and the text of the tool error that the work ends with. */
export async function refusalOf(
  work: Promise<unknown>,
): Promise<{ code: string; message: string; data: unknown }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ToolError)) throw new Error(`A tool error was expected, not ${String(error)}.`);
  return { code: error.code, message: error.message, data: error.data };
}
