/** Identity: organizations, members and keys behind one object that the whole server shares. */
import type { Caller, CallSource, Grants } from '@parley/kit';
import { requireLasting } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { Rank, RoleDefaults, RoleGrants } from './roles.ts';
import { builtInRoles } from './roles.ts';
import type { IdentityTables } from './schema.ts';
import type { KeyState, Powers, ShownKey } from './services/authentication.ts';
import { AgentCallers } from './services/agent-keys.ts';
import type { AgentLookup } from './services/agent-keys.ts';
import { Authentication, callerOfKey } from './services/authentication.ts';
import type { IsPrivileged, Rules } from './services/ceiling.ts';
import type { AuditFollower, AuditLog } from './services/audit.ts';
import { writeAudit } from './services/audit.ts';
import type { CallBackLookup } from './services/call-backs.ts';
import { CallBacks } from './services/call-backs.ts';
import { issueCallToken } from './services/call-tokens.ts';
import type { AuditCheck } from './services/audit-check.ts';
import type { AuditFilter, AuditItem, AuditQuery } from './services/audit-list.ts';
import type { Roles } from './services/custom-roles.ts';
import type { Invitations } from './services/invitations.ts';
import type { KeyChange } from './services/key-update.ts';
import type { DenialFacts, DeniedCaller, DeniedName } from './services/denials.ts';
import { Denials } from './services/denials.ts';
import type { KeyChoice, KeyInfo, NewKey } from './services/keys.ts';
import type { HasResource, KnownGrants } from './services/known-grants.ts';
import type { Member, MemberFilter, MemberPage } from './services/member-list.ts';
import type { RolesOfUser, WhichMember } from './services/members.ts';
import type { NamedIds } from './services/names.ts';
import type { OrganizationSettings, SettingsChange } from './services/organization-settings.ts';
import type { NewOrganization, Organization, OrganizationChange, Seed } from './services/organizations.ts';
import type { Sessions } from './services/sessions.ts';
import { createSessions } from './services/sessions.ts';
import { callerOfMember } from './services/standing.ts';
import type { Web } from './web.ts';
import { createWeb } from './web.ts';

/** Everything the server asks of identity. */
export interface Identity {
  /** The caller behind a key, or undefined; returns without waiting when the key is known. */
  authenticate(key: string | ShownKey, source: CallSource): Caller | undefined | Promise<Caller | undefined>;
  /** What a text is worth as a key, for answers that tell a key without a member from an unknown one. */
  keyState(text: string): Promise<KeyState>;
  /** The same caller with the rights it has now; undefined when it may do nothing any more. */
  current(caller: Caller): Promise<Caller | undefined>;
  /**
   * A token with which the server of a connection may call back for this caller, for 5 minutes, within both grants;
   * undefined for an agent, and when it would be too long for a header.
   */
  callTokenFor(caller: Caller, connectionId: string, grants: Grants): string | undefined;
  /** The keys that are bound to a connection and were not revoked. */
  keysBoundTo(organizationId: string, connectionId: string): Promise<string[]>;
  /** First run: one organization, one owner, one owner key, handed to `keep` before it is committed. */
  bootstrap(keep: (keyText: string) => Promise<void>): Promise<boolean>;
  /** A new owner key for an owner without one; being able to open the database is the permission. */
  recoverOwnerKey(
    keep: (keyText: string) => Promise<void>,
  ): Promise<{ info: KeyInfo; organizationId: string }>;
  createKey(maker: Caller, input: NewKey): Promise<{ info: KeyInfo; text: string }>;
  listKeys(caller: Caller, choice: KeyChoice): Promise<KeyInfo[]>;
  /** Changes a key of the caller's own user. */
  updateKey(by: Caller, input: KeyChange & { readonly keyId: string }): Promise<KeyInfo>;
  revokeKey(caller: Caller, idOrPublicId: string): Promise<KeyInfo>;
  /** The caller that a key or an agent of the same organization would be, for explanations; undefined when there is none. */
  callerNamed(organizationId: string, idOrName: string): Promise<Caller | undefined>;
  /** The names of keys and members by their ids, and of people; agents without a key have none here. */
  namesOf(
    organizationId: string,
    ids: NamedIds,
  ): Promise<{ callers: Map<string, string>; users: Map<string, string> }>;
  /** What gives an agent a tool, or leaves it out; undefined for everybody and everything else. */
  whyOfAgent(caller: Caller, tool: string): Promise<string | undefined>;
  /** What to do before a call of a tool that an agent has is not refused; undefined when there is nothing. */
  lackOfAgent(caller: Caller, tool: string): Promise<string | undefined>;
  /** A member as they act in a browser, without a key: for what they do in the console, or leave behind to be done. */
  callerOfMember(organizationId: string, memberId: string): Promise<Caller | undefined>;
  createOrganization(
    input: NewOrganization,
    by?: Caller,
  ): Promise<{ organizationId: string; userId: string }>;
  createUser(input: { name: string; email: string | null }): Promise<string>;
  /** The user with this e-mail, made when there is none. */
  ensureUser(input: { email: string; name: string }): Promise<string>;
  /** True for an account that the organization never let in, and of which it knows no more than an e-mail. */
  isStranger(organizationId: string, userId: string): Promise<boolean>;
  listMembers(organizationId: string): Promise<Member[]>;
  pageMembers(organizationId: string, page: MemberPage): Promise<Member[]>;
  countMembers(organizationId: string, filter: MemberFilter): Promise<number>;
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
  /** The roles that organizations make for themselves, and what the built-in ones give. */
  readonly roles: Roles & { readonly builtIn: RoleGrants };
  readonly invitations: Invitations;
  /** Everything about organizations themselves. */
  readonly organizations: Organizations;
  /** What other parts write down about their changes, in the transaction of the change. */
  readonly audit: AuditLog & {
    /** Is told of each entry in the transaction that writes it. */
    follow(follower: AuditFollower): void;
    /** Notes that a caller was denied a tool; it is written after the answer. */
    denied(caller: DeniedCaller, tool: DeniedName, about?: DenialFacts): void;
    /** Writes the denials that wait. */
    flush(): Promise<void>;
    /** Removes what was written before a time. */
    sweep(before: number): Promise<void>;
    /** One page of an organization's log, newest first. */
    list(organizationId: string, query: AuditQuery): Promise<AuditItem[]>;
    /** What came after an entry, in order, and up to where was looked; without `after` only where the log ends now. */
    after(
      organizationId: string,
      query: AuditFilter & { readonly after?: number | undefined; readonly limit: number },
    ): Promise<{ entries: AuditItem[]; last: number }>;
    /** Looks whether every chain is whole, or that of one organization. */
    check(organizationId?: string): Promise<AuditCheck>;
  };
  organizationName(organizationId: string): Promise<string | undefined>;
  /** The organization that the first start made. */
  firstOrganizationId(): Promise<string>;
  /** Who is signed in with a browser: visitors of the public pages. */
  readonly sessions: Sessions;
  /** The same for the console, whose people are of a team. */
  readonly web: Web;
  /** Takes the look-up that tells what agents may do; before, no key of an agent is worth anything. */
  serveAgents(lookup: AgentLookup): void;
  /** Takes the look-up that tells what connections may call back for; before, no token to call back with is worth anything. */
  serveCallBacks(lookup: CallBackLookup): void;
  /** Moves the end of an agent's key; one that was revoked stays so. */
  renewAgentKey(keyId: string, expiresAt: number): Promise<void>;
  /** Removes keys of agents that expired before a time. */
  sweepAgentKeys(before: number): Promise<void>;
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
  /** What they may name besides, by the id of a connection that its organization chose; absent: nothing. */
  readonly hasResource?: HasResource;
  /** What every new organization starts with; absent: nothing but its owner. */
  readonly seed?: Seed;
  /** What goes with an organization besides its rows, in the transaction that deletes it. */
  readonly clear?: Seed;
  readonly onError?: (error: unknown) => void;
  /** False: nobody is signed in with a browser, whatever it shows; true by default. */
  readonly hasWeb?: boolean;
}

/** Who is there changes rarely, and the code for it is most of this package: it is loaded by the first who needs it. */
const later = () => import('./administration.ts');

type Ruled = Awaited<ReturnType<typeof later>> & { readonly rules: Rules };

/** Creates identity over an open, migrated store. */
export function createIdentity(store: Store, options: IdentityOptions = {}): Identity {
  const now = options.now ?? (() => store.now());
  const { isPrivileged = () => false, known, onError = () => undefined } = options;
  const { hasResource = async () => false, hasWeb = true } = options;
  const { roleDefaults = { member: {}, user: {} } } = options;
  const builtIn = builtInRoles(roleDefaults);
  const agents = new AgentCallers();
  const callBacks = new CallBacks(store);
  const powers = { isPrivileged, builtIn };
  const authentication = new Authentication(store, { now, ...powers, agents, callBacks, onError });
  const ruled = async () => {
    const services = await later();
    const refuseUnknown: Rules['refuseUnknown'] = async (from, maker, { grants }) => {
      if (known !== undefined) await services.requireKnown(from, maker, grants, { known, hasResource });
    };
    return { ...services, rules: { isPrivileged, roleDefaults, now: now(), refuseUnknown, tell } };
  };
  const changing = async <T>(work: (tx: StoreTransaction, services: Ruled) => Promise<T>) => {
    const services = await ruled();
    return store.transaction((tx) => work(tx, services));
  };
  const denials = new Denials(store, { now, onError, agents });
  const seed = options.seed ?? (async () => undefined);
  const clear = options.clear ?? (async () => undefined);
  const followers: AuditFollower[] = [];
  const tell: AuditFollower = async (tx, entry) => {
    for (const follow of followers) await follow(tx, entry);
  };
  const ownerOfKey = async (key: string) => (await authentication.wholeHolder(key))?.userId;
  return {
    authenticate: (key, source) => authentication.authenticate(key, source),
    keyState: (text) => authentication.keyState(text),
    current: (caller) => authentication.current(caller),
    callTokenFor: (caller, connectionId, grants) =>
      caller.agent === undefined
        ? issueCallToken(store.secrets, caller, { connectionId, grants, now: now() })
        : undefined,
    keysBoundTo: async (organizationId, connectionId) =>
      (await later()).keysBoundTo(store, organizationId, connectionId),
    async bootstrap(keep) {
      if (await hasOrganization(store)) return false;
      return (await later()).bootstrap(store, keep, { now: now(), seed });
    },
    recoverOwnerKey: async (keep) => (await later()).recoverOwnerKey(store, keep, { now: now(), tell }),
    createKey: async (maker, input) => {
      const { createKey, rules } = await ruled();
      return createKey(store, maker, input, rules);
    },
    listKeys: async (caller, choice) => (await later()).listKeys(store, caller, choice),
    updateKey: (by, input) => changing((tx, { updateKey, rules }) => updateKey(tx, by, input, rules)),
    revokeKey: async (caller, id) => {
      const { revokeKey, rules } = await ruled();
      return revokeKey(store, caller, id, rules);
    },
    callerNamed: (organizationId, name) =>
      callerNamed(store, { organizationId, name, now: now() }, { isPrivileged, builtIn, agents }),
    namesOf: async (organizationId, ids) => (await later()).namesOf(store, organizationId, ids),
    whyOfAgent: (caller, tool) => agents.why(caller, tool),
    lackOfAgent: (caller, tool) => agents.lack(caller, tool),
    callerOfMember: (organizationId, memberId) =>
      callerOfMember(store, builtIn, { organizationId, memberId, source: 'web' }),
    createOrganization: (input, by) =>
      changing((tx, { createOrganization }) => {
        if (by !== undefined) requireLasting(by, 'organizations');
        return createOrganization(tx, input, { now: now(), seed, ...(by && { by }) });
      }),
    createUser: (input) => changing((tx, { createUser }) => createUser(tx, input, now())),
    isStranger: async (organizationId, userId) => (await later()).isStranger(store, organizationId, userId),
    ensureUser: (input) => changing((tx, { ensureUser }) => ensureUser(tx, input, now())),
    listMembers: async (organizationId) => (await later()).listMembers(store, organizationId),
    pageMembers: async (organizationId, page) => (await later()).pageMembers(store, organizationId, page),
    countMembers: async (organizationId, filter) =>
      (await later()).countMembers(store, organizationId, filter),
    findMember: async (organizationId, idOrEmail) =>
      (await later()).findMember(store, organizationId, idOrEmail),
    getMember: async (organizationId, memberId) => (await later()).getMember(store, organizationId, memberId),
    memberOf: async (organizationId, userId) => (await later()).memberOf(store, organizationId, userId),
    addMember: (by, input) => changing((tx, { addMember, rules }) => addMember(tx, by, input, rules)),
    setRoles: (by, input) => changing((tx, { setRoles, rules }) => setRoles(tx, by, input, rules)),
    setRank: (by, memberId, rank) =>
      changing((tx, { setRank, rules }) => setRank(tx, by, { memberId, rank }, rules)),
    removeMember: (by, userId) =>
      changing((tx, { removeMember, rules }) => removeMember(tx, by, { userId }, rules)),
    removeMemberById: (by, memberId) =>
      changing((tx, { removeMember, rules }) => removeMember(tx, by, { memberId }, rules)),
    roles: {
      builtIn,
      list: async (organizationId) => (await later()).listRoles(store, organizationId),
      save: (by, input) => changing((tx, { saveRole, rules }) => saveRole(tx, by, input, rules)),
      delete: (by, name) => changing((tx, { deleteRole, rules }) => deleteRole(tx, by, name, rules)),
    },
    invitations: {
      create: (by, input) =>
        changing((tx, { createInvitation, rules }) => createInvitation(tx, by, input, rules)),
      list: async (organizationId) => (await later()).listInvitations(store, organizationId, now()),
      withdraw: (by, email) =>
        changing((tx, { withdrawInvitation, rules }) => withdrawInvitation(tx, by, email, rules)),
      open: async (token) => (await later()).openInvitation(store, token, now()),
      async accept(token, joining) {
        const { acceptInvitation, rules } = await ruled();
        return acceptInvitation(store, token, joining, { rules, builtIn, ownerOfKey });
      },
    },
    organizations: {
      list: async (userId) => (await later()).listOrganizations(store, userId),
      get: async (organizationId) => (await later()).getOrganization(store, organizationId),
      update: (by, change) =>
        changing((tx, { updateOrganization }) => updateOrganization(tx, by, change, now())),
      delete: async (by) => (await later()).deleteOrganization(store, by, clear),
      settings: async (organizationId) => (await later()).getSettings(store, organizationId),
      saveSettings: (by, change) => changing((tx, { saveSettings }) => saveSettings(tx, by, change, now())),
      callerIn: async (caller, organizationId) =>
        (await later()).callerIn(store, caller, organizationId, { isPrivileged, builtIn }),
    },
    audit: {
      write: (tx, entry) => writeAudit(tx, entry, { now: now(), tell }),
      follow: (follower) => {
        followers.push(follower);
      },
      denied: (caller, tool, about) => denials.note(caller, tool, about),
      flush: () => denials.flush(),
      sweep: async (before) => (await later()).sweepAudit(store, before),
      list: async (organizationId, query) => (await later()).listAudit(store, organizationId, query),
      after: async (organizationId, query) => (await later()).auditAfter(store, organizationId, query),
      check: async (organizationId) => (await later()).checkAudit(store, organizationId),
    },
    organizationName: (organizationId) => organizationName(store, organizationId),
    firstOrganizationId: () => firstOrganizationId(store),
    sessions: createSessions(store, { now, onError, builtIn }),
    web: createWeb(store, {
      now,
      onError,
      builtIn,
      isOpen: hasWeb,
      holderOf: (key) => authentication.wholeHolder(key),
    }),
    serveAgents: (lookup) => agents.use(lookup),
    serveCallBacks: (lookup) => callBacks.serve(lookup),
    renewAgentKey: async (keyId, expiresAt) => (await later()).renewAgentKey(store, keyId, expiresAt),
    sweepAgentKeys: async (before) => (await later()).sweepAgentKeys(store, before),
    close: () => authentication.close(),
  };
}

async function hasOrganization(store: Store): Promise<boolean> {
  const first = store.db<IdentityTables>().selectFrom('organizations').select('id').limit(1);
  return (await first.executeTakeFirst()) !== undefined;
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
