/** Identity: organizations, members and keys behind one object that the whole server shares. */
import type { Caller, CallSource, Grants } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Rank, RoleDefaults } from './roles.ts';
import { builtInRoles } from './roles.ts';
import type { IdentityTables } from './schema.ts';
import type { KeyState, Powers } from './services/authentication.ts';
import { AgentCallers } from './services/agent-keys.ts';
import type { AgentLookup } from './services/agent-keys.ts';
import { Authentication, callerOfKey } from './services/authentication.ts';
import type { IsPrivileged } from './services/ceiling.ts';
import type { AuditCaller, AuditFollower, AuditLog } from './services/audit.ts';
import { writeAudit } from './services/audit.ts';
import type { AuditCheck } from './services/audit-check.ts';
import { checkAudit } from './services/audit-check.ts';
import { sweepAudit } from './services/audit-retention.ts';
import type { Roles } from './services/custom-roles.ts';
import { deleteRole, listRoles, saveRole } from './services/custom-roles.ts';
import { callerIn } from './services/crossing.ts';
import type { Invitations } from './services/invitations.ts';
import {
  createInvitation,
  listInvitations,
  openInvitation,
  withdrawInvitation,
} from './services/invitations.ts';
import { acceptInvitation } from './services/joining.ts';
import type { KeyChange } from './services/key-update.ts';
import { updateKey } from './services/key-update.ts';
import type { DenialFacts } from './services/denials.ts';
import { Denials } from './services/denials.ts';
import type { KeyInfo, NewKey } from './services/keys.ts';
import { createKey, insertKey, listKeys } from './services/keys.ts';
import type { KnownGrants } from './services/known-grants.ts';
import { requireKnown } from './services/known-grants.ts';
import type { Member } from './services/member-list.ts';
import { findMember, getMember, listMembers, memberOf, pageMembers } from './services/member-list.ts';
import type { RolesOfUser, WhichMember } from './services/members.ts';
import { addMember, removeMember, setRank, setRoles } from './services/members.ts';
import type { OrganizationSettings, SettingsChange } from './services/organization-settings.ts';
import { getSettings, saveSettings } from './services/organization-settings.ts';
import type { NewOrganization, Organization, OrganizationChange, Seed } from './services/organizations.ts';
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from './services/organizations.ts';
import { recoverOwnerKey } from './services/recovery.ts';
import { revokeKey } from './services/revoking.ts';
import type { Sessions } from './services/sessions.ts';
import { createSessions } from './services/sessions.ts';
import { callerOfMember } from './services/standing.ts';
import { createUser, ensureUser } from './services/users.ts';

/** Everything the server asks of identity. */
export interface Identity {
  /** The caller behind a key, or undefined; returns without waiting when the key is known. */
  authenticate(key: string, source: CallSource): Caller | undefined | Promise<Caller | undefined>;
  /** What a text is worth as a key, for answers that tell a key without a member from an unknown one. */
  keyState(text: string): Promise<KeyState>;
  /** The same caller with the rights it has now; undefined when it may do nothing any more. */
  current(caller: Caller): Promise<Caller | undefined>;
  /** First run: one organization, one owner, one owner key, handed to `keep` before it is committed. */
  bootstrap(keep: (keyText: string) => Promise<void>): Promise<boolean>;
  /** A new owner key for an owner without one; being able to open the database is the permission. */
  recoverOwnerKey(
    keep: (keyText: string) => Promise<void>,
  ): Promise<{ info: KeyInfo; organizationId: string }>;
  createKey(maker: Caller, input: NewKey): Promise<{ info: KeyInfo; text: string }>;
  listKeys(caller: Caller, options: { all: boolean }): Promise<KeyInfo[]>;
  /** Changes a key of the caller's own user. */
  updateKey(by: Caller, input: KeyChange & { readonly keyId: string }): Promise<KeyInfo>;
  revokeKey(caller: Caller, idOrPublicId: string): Promise<KeyInfo>;
  /** The caller that a key or an agent of the same organization would be, for explanations; undefined when there is none. */
  callerNamed(organizationId: string, idOrName: string): Promise<Caller | undefined>;
  /** What gives an agent a tool, or leaves it out; undefined for everybody and everything else. */
  whyOfAgent(caller: Caller, tool: string): Promise<string | undefined>;
  /** A member as they act in a browser, without a key: for what they do in the console, or leave behind to be done. */
  callerOfMember(organizationId: string, memberId: string): Promise<Caller | undefined>;
  createOrganization(
    input: NewOrganization,
    by?: Caller,
  ): Promise<{ organizationId: string; userId: string }>;
  createUser(input: { name: string; email: string | null }): Promise<string>;
  /** The user with this e-mail, made when there is none. */
  ensureUser(input: { email: string; name: string }): Promise<string>;
  listMembers(organizationId: string): Promise<Member[]>;
  pageMembers(
    organizationId: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<Member[]>;
  findMember(organizationId: string, idOrEmail: string): Promise<Member | undefined>;
  getMember(organizationId: string, memberId: string): Promise<Member | undefined>;
  memberOf(organizationId: string, userId: string): Promise<Member | undefined>;
  /** A caller who adds, changes or makes gives at most what they hold, in their own organization. */
  addMember(by: Caller, input: RolesOfUser): Promise<string>;
  setRoles(by: Caller, input: WhichMember & { readonly roles: readonly string[] }): Promise<Member>;
  /** Swaps the built-in role and leaves the custom ones; `admin` changes nothing for an owner. */
  setRank(by: Caller, memberId: string, rank: Rank): Promise<Member>;
  removeMember(by: Caller, userId: string): Promise<void>;
  removeMemberById(by: Caller, memberId: string): Promise<void>;
  /** The roles that organizations make for themselves. */
  readonly roles: Roles;
  readonly invitations: Invitations;
  /** Everything about organizations themselves. */
  readonly organizations: Organizations;
  /** What other parts write down about their changes, in the transaction of the change. */
  readonly audit: AuditLog & {
    /** Is told of each entry in the transaction that writes it. */
    follow(follower: AuditFollower): void;
    /** Notes that a caller was denied a tool; it is written after the answer. */
    denied(caller: AuditCaller, tool: string, about?: DenialFacts): void;
    /** Writes the denials that wait. */
    flush(): Promise<void>;
    /** Removes what was written before a time. */
    sweep(before: number): Promise<void>;
    /** Looks whether every chain is whole. */
    check(): Promise<AuditCheck>;
  };
  organizationName(organizationId: string): Promise<string | undefined>;
  /** The organization that the first start made. */
  firstOrganizationId(): Promise<string>;
  /** Who is signed in with a browser. */
  readonly sessions: Sessions;
  /** Takes the look-up that tells what agents may do; before, no key of an agent is worth anything. */
  serveAgents(lookup: AgentLookup): void;
  close(): void;
}

/** Organizations, as their people use them; `by` acts in the organization that is meant. */
export interface Organizations {
  /** Those that a user is a member of. */
  list(userId: string): Promise<Organization[]>;
  get(organizationId: string): Promise<Organization | undefined>;
  update(by: Caller, change: OrganizationChange): Promise<Organization>;
  /** Everything of it goes, and its keys stop with the next request; owners only, and never the last one. */
  delete(by: Caller): Promise<void>;
  settings(organizationId: string): Promise<OrganizationSettings>;
  saveSettings(by: Caller, change: SettingsChange): Promise<OrganizationSettings>;
  /** The caller as they stand in an organization; undefined where they do not reach it. */
  callerIn(caller: Caller, organizationId: string): Promise<Caller | undefined>;
}

export interface IdentityOptions {
  readonly now?: () => number;
  /** Which tools need an explicit name; absent: none. */
  readonly isPrivileged?: IsPrivileged;
  /** What toolsets give to the built-in roles; absent: nothing. */
  readonly roleDefaults?: RoleDefaults;
  /** What the grants of a new key or role may name; absent: anything. */
  readonly known?: KnownGrants;
  /** What every new organization starts with; absent: nothing but its owner. */
  readonly seed?: Seed;
  /** What goes with an organization besides its rows, in the transaction that deletes it. */
  readonly clear?: Seed;
  readonly onError?: (error: unknown) => void;
}

/** Creates identity over an open, migrated store. */
export function createIdentity(store: Store, options: IdentityOptions = {}): Identity {
  const now = options.now ?? Date.now;
  const { isPrivileged = () => false, known, onError = () => undefined } = options;
  const { roleDefaults = { member: {}, user: {} } } = options;
  const builtIn = builtInRoles(roleDefaults);
  const refuseUnknown = (maker: Caller, { grants }: { readonly grants: Grants }) => {
    if (known !== undefined) requireKnown(maker, grants, known);
  };
  const agents = new AgentCallers();
  const authentication = new Authentication(store, { now, isPrivileged, builtIn, agents, onError });
  const moment = () => ({ isPrivileged, roleDefaults, now: now(), refuseUnknown, tell });
  const denials = new Denials(store, { now, onError });
  const seed = options.seed ?? (async () => undefined);
  const clear = options.clear ?? (async () => undefined);
  const followers: AuditFollower[] = [];
  const tell: AuditFollower = async (tx, entry) => {
    for (const follow of followers) await follow(tx, entry);
  };
  const ownerOfKey = async (key: string) =>
    (await authentication.authenticate(key, 'web'))?.userId ?? undefined;
  return {
    authenticate: (key, source) => authentication.authenticate(key, source),
    keyState: (text) => authentication.keyState(text),
    current: (caller) => authentication.current(caller),
    bootstrap: (keep) => bootstrap(store, keep, { now: now(), seed }),
    recoverOwnerKey: (keep) => recoverOwnerKey(store, keep, { now: now(), tell }),
    createKey: (maker, input) => createKey(store, maker, input, moment()),
    listKeys: (caller, { all }) => listKeys(store, caller, all),
    updateKey: (by, input) => store.transaction((tx) => updateKey(tx, by, input, moment())),
    revokeKey: (caller, id) => revokeKey(store, caller, id, moment()),
    callerNamed: (organizationId, name) =>
      callerNamed(store, { organizationId, name, now: now() }, { isPrivileged, builtIn, agents }),
    whyOfAgent: (caller, tool) => agents.why(caller, tool),
    callerOfMember: (organizationId, memberId) =>
      callerOfMember(store, builtIn, { organizationId, memberId, source: 'web' }),
    createOrganization: (input, by) =>
      store.transaction((tx) => createOrganization(tx, input, { now: now(), seed, ...(by && { by }) })),
    createUser: (input) => store.transaction((tx) => createUser(tx, input, now())),
    ensureUser: (input) => store.transaction((tx) => ensureUser(tx, input, now())),
    listMembers: (organizationId) => listMembers(store, organizationId),
    pageMembers: (organizationId, page) => pageMembers(store, organizationId, page),
    findMember: (organizationId, idOrEmail) => findMember(store, organizationId, idOrEmail),
    getMember: (organizationId, memberId) => getMember(store, organizationId, memberId),
    memberOf: (organizationId, userId) => memberOf(store, organizationId, userId),
    addMember: (by, input) => store.transaction((tx) => addMember(tx, by, input, moment())),
    setRoles: (by, input) => store.transaction((tx) => setRoles(tx, by, input, moment())),
    setRank: (by, memberId, rank) => store.transaction((tx) => setRank(tx, by, { memberId, rank }, moment())),
    removeMember: (by, userId) => store.transaction((tx) => removeMember(tx, by, { userId }, moment())),
    removeMemberById: (by, memberId) =>
      store.transaction((tx) => removeMember(tx, by, { memberId }, moment())),
    roles: {
      list: (organizationId) => listRoles(store, organizationId),
      save: (by, input) => store.transaction((tx) => saveRole(tx, by, input, moment())),
      delete: (by, name) => store.transaction((tx) => deleteRole(tx, by, name, moment())),
    },
    invitations: {
      create: (by, input) => store.transaction((tx) => createInvitation(tx, by, input, moment())),
      list: (organizationId) => listInvitations(store, organizationId, now()),
      withdraw: (by, email) => store.transaction((tx) => withdrawInvitation(tx, by, email, moment())),
      open: (token) => openInvitation(store, token, now()),
      accept: (token, joining) =>
        acceptInvitation(store, token, joining, { rules: moment(), builtIn, ownerOfKey }),
    },
    organizations: {
      list: (userId) => listOrganizations(store, userId),
      get: (organizationId) => getOrganization(store, organizationId),
      update: (by, change) => store.transaction((tx) => updateOrganization(tx, by, change, now())),
      delete: (by) => deleteOrganization(store, by, clear),
      settings: (organizationId) => getSettings(store, organizationId),
      saveSettings: (by, change) => store.transaction((tx) => saveSettings(tx, by, change, now())),
      callerIn: (caller, organizationId) =>
        callerIn(store, caller, organizationId, { isPrivileged, builtIn }),
    },
    audit: {
      write: (tx, entry) => writeAudit(tx, entry, { now: now(), tell }),
      follow: (follower) => {
        followers.push(follower);
      },
      denied: (caller, tool, about) => denials.note(caller, tool, about),
      flush: () => denials.flush(),
      sweep: (before) => sweepAudit(store, before),
      check: () => checkAudit(store),
    },
    organizationName: (organizationId) => organizationName(store, organizationId),
    firstOrganizationId: () => firstOrganizationId(store),
    sessions: createSessions(store, { now, onError, builtIn }),
    serveAgents: (lookup) => agents.use(lookup),
    close: () => authentication.close(),
  };
}

const FIRST_ORGANIZATION = { slug: 'default', name: 'Default', owner: { name: 'Owner', email: null } };

async function bootstrap(
  store: Store,
  keep: (keyText: string) => Promise<void>,
  { now, seed }: { readonly now: number; readonly seed: Seed },
): Promise<boolean> {
  const hasOrganization = (from: Pick<Store, 'db'>) =>
    from.db<IdentityTables>().selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  if ((await hasOrganization(store)) !== undefined) return false;
  try {
    return await store.transaction(async (tx) => {
      if ((await hasOrganization(tx)) !== undefined) return false;
      const owner = await createOrganization(tx, FIRST_ORGANIZATION, { now, seed });
      const { text } = await insertKey(
        tx,
        owner,
        { name: 'Owner key', grants: ALL_GRANTS, expiresAt: null },
        now,
      );
      // Kept before the commit: a key that exists but that nobody has would lock the owner out.
      await keep(text);
      return true;
    });
  } catch (error) {
    // On PostgreSQL two first starts may pass the check together; the slug lets only one of them commit.
    if ((await hasOrganization(store)) !== undefined) return false;
    throw error;
  }
}

async function callerNamed(
  store: Store,
  { organizationId, name, now }: { organizationId: string; name: string; now: number },
  powers: Powers & { readonly agents: AgentCallers },
): Promise<Caller | undefined> {
  const row = await store
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .where((where) =>
      where.or([where('id', '=', name), where('public_id', '=', name), where('name', '=', name)]),
    )
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  if (row === undefined) return powers.agents.named(organizationId, name);
  return powers.agents.of(row, await callerOfKey(store, row, 'key', powers));
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

async function firstOrganizationId(store: Store): Promise<string> {
  const { id } = await store
    .db<IdentityTables>()
    .selectFrom('organizations')
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  return id;
}
