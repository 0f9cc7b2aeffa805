/** From a key to a caller: one lookup, then a small cache that every change of rights empties and that counts only while changes arrive. */
import { hash } from 'node:crypto';
import type { Caller, CallSource, Grants } from '@parley/kit';
import { ALL_GRANTS, detach, firstUncovered, intersectGrants, mayAdminister } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import { fromJson } from '@parley/store';
import { isSecretOf, parseKey } from '../key-format.ts';
import type { RoleGrants } from '../roles.ts';
import type { ApiKeyRow, IdentityTables } from '../schema.ts';
import type { AgentCallers } from './agent-keys.ts';
import type { IsPrivileged } from './ceiling.ts';
import type { CallBacks } from './call-backs.ts';
import type { CallClaims } from './call-tokens.ts';
import { isCallToken, readCallToken } from './call-tokens.ts';
import { cutGrants, withoutLaundered } from './ceiling.ts';
import { IDENTITY_CHANGED } from './identity-changed.ts';
import { KeyLookup } from './key-lookup.ts';
import type { FoundKey } from './key-lookup.ts';
import { LastUses } from './last-uses.ts';
import { RecentMap } from './recent-map.ts';
import type { HeldRoles } from './standing.ts';
import { callerOfMember, narrowed, narrowedRoles, rolesHeld, standingOf } from './standing.ts';

interface Known {
  readonly caller: Caller;
  readonly expiresAt: number;
  /** When its use was last written down, or found to be. */
  usedAt: number;
  readonly bytes: number;
}

/** What a caller is now, for as long as nothing changes. */
interface Standing {
  readonly caller: Caller | undefined;
  readonly expiresAt: number;
}

/** What decides about the grants of a key. */
export interface Powers {
  readonly isPrivileged: IsPrivileged;
  readonly builtIn: RoleGrants;
}

/** What a text is worth as a key; `memberless`: the key is fine, but its owner is no longer a member. */
export type KeyState = 'valid' | 'unknown' | 'memberless';

/** What the ids of connections that call back begin with. */
const CALLS_BACK = 'callback_';
const MAX_CACHED = 10_000;
/** Keys in use at the same time that need no look-up, and what they may take of memory. */
const MAX_KNOWN = 131_072;
const MAX_KNOWN_BYTES = 64 * 1024 ** 2;
/** A caller, its key's digest and their places in maps, without its grants. */
const KNOWN_BYTES = 400;
const USED_EVERY_MS = 60_000;

/** A key as a client has shown it, with its digest: whoever sees the same key again need not hash it again. */
export interface ShownKey {
  readonly text: string;
  readonly digest: string;
}

export function shownKey(text: string): ShownKey {
  return { text, digest: hash('sha256', text, 'base64') };
}

/** Turns keys into callers. */
export class Authentication {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #powers: Powers;
  readonly #agents: AgentCallers;
  readonly #callBacks: CallBacks;
  /** By the key's digest, then by the way it came: a digest that is joined with it has to be hashed once more. */
  readonly #known = new RecentMap<Partial<Record<CallSource, Known>>>(MAX_KNOWN, {
    mostBytes: MAX_KNOWN_BYTES,
    bytesOf: (bySource) => Object.values(bySource).reduce((sum, { bytes }) => sum + bytes, 0),
  });
  readonly #usedAt = new RecentMap<number>(MAX_KNOWN);
  /** Grants by their text: keys that may do the same share them. */
  readonly #grants = new RecentMap<Grants>(MAX_CACHED);
  readonly #keys: KeyLookup;
  readonly #lastUses: LastUses;
  /** Everybody who asks for the same caller shares one look-up. */
  readonly #current = new RecentMap<Standing | Promise<Standing>>(MAX_CACHED);
  /** Callers by their tokens to call back with, which a change of a connection drops too. */
  readonly #calledBack = new RecentMap<Known>(MAX_CACHED);
  /** What the newest token of a connection that calls back said, by its caller. */
  readonly #callsBack = new RecentMap<CallClaims>(MAX_CACHED);
  readonly #unsubscribe: () => void;
  #generation = 0;

  constructor(
    store: Store,
    options: Powers & {
      readonly agents: AgentCallers;
      readonly callBacks: CallBacks;
      readonly now: () => number;
      readonly onError: (error: unknown) => void;
    },
  ) {
    this.#store = store;
    this.#now = options.now;
    this.#powers = options;
    this.#agents = options.agents;
    this.#callBacks = options.callBacks;
    this.#callBacks.onChange = () => this.#forgetCalledBack();
    this.#keys = new KeyLookup(store);
    this.#lastUses = new LastUses(store, options.onError);
    this.#unsubscribe = store.signal.subscribe(IDENTITY_CHANGED, () => this.#forget());
  }

  /** The caller behind a key; undefined for anything unknown, revoked, expired or without a member behind it. */
  authenticate(key: string | ShownKey, source: CallSource): Caller | undefined | Promise<Caller | undefined> {
    const { text, digest } = typeof key === 'string' ? shownKey(key) : key;
    const known = this.#known.get(digest)?.[source];
    // While nothing is heard of other processes, a key that one of them revoked would stay valid here.
    if (known === undefined || this.#store.signal.isBroken()) return this.#look(text, source, digest);
    const now = this.#now();
    if (known.expiresAt <= now) {
      this.#known.delete(digest);
      // Its end may have been moved.
      return this.#look(text, source, digest);
    }
    if (now - known.usedAt >= USED_EVERY_MS) {
      known.usedAt = now;
      this.#touch(known.caller);
    }
    return known.caller;
  }

  /** The same caller as it stands now, watched or not; undefined when its key or member is gone. */
  async current(caller: Caller): Promise<Caller | undefined> {
    if (isCallingBack(caller)) return this.#currentCallBack(caller);
    const { organizationId, id: callerId, source, unattended, agent } = caller;
    const id = JSON.stringify([organizationId, callerId, source, unattended, agent]);
    const known = this.#current.get(id);
    // While nothing is heard of other processes, only a look-up that is under way counts.
    const isFresh =
      known instanceof Promise || (!this.#store.signal.isBroken() && this.#now() < (known?.expiresAt ?? 0));
    const standing = known !== undefined && isFresh ? known : this.#lookAgain(id, caller);
    const { caller: found, expiresAt } = standing instanceof Promise ? await standing : standing;
    if (found === undefined || expiresAt <= this.#now()) return undefined;
    return caller.unattended ? { ...found, unattended: true } : found;
  }

  #lookAgain(id: string, caller: Caller): Promise<Standing> {
    const looking = this.#standing(caller);
    this.#current.set(id, looking);
    const settle = (standing?: Standing) => {
      // A change of rights has thrown the look-up away, and another may have begun.
      if (this.#current.get(id) !== looking) return;
      if (standing === undefined) this.#current.delete(id);
      else this.#current.set(id, standing);
    };
    // The caller gets the fault; here it only makes room for the next look-up.
    detach(looking.then(settle), () => settle());
    return looking;
  }

  async #standing(caller: Caller): Promise<Standing> {
    const row = await this.#store
      .db<IdentityTables>()
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', caller.id)
      .where('organization_id', '=', caller.organizationId)
      .executeTakeFirst();
    return { caller: await this.#stillThere(caller, row), expiresAt: row?.expires_at ?? Infinity };
  }

  /** Who a key stands for without any reserve, and where: it may do all that its owner may; undefined for any other. */
  async wholeHolder(text: string): Promise<{ userId: string; organizationId: string } | undefined> {
    const { row, roles } = (await this.#keyOf(text)) ?? {};
    if (row === undefined || row.role !== null || row.connection_id !== null || row.agent !== null)
      return undefined;
    if (firstUncovered(fromJson<Grants>(row.grants), ALL_GRANTS) !== undefined) return undefined;
    return roles && { userId: row.user_id, organizationId: row.organization_id };
  }

  /** Tells a key whose member is gone from one that is not valid at all. */
  async keyState(text: string): Promise<KeyState> {
    const key = await this.#keyOf(text);
    if (key === undefined) return 'unknown';
    return key.roles === undefined ? 'memberless' : 'valid';
  }

  close(): void {
    this.#lastUses.close();
    this.#unsubscribe();
    this.#callBacks.close();
  }

  async #look(text: string, source: CallSource, digest: string): Promise<Caller | undefined> {
    const generation = this.#generation;
    if (isCallToken(text)) return this.#lookAtCallToken(text, digest);
    const key = await this.#keyOf(text);
    const found = key?.roles && callerWith(key.row, key.roles, { source, powers: this.#powers });
    const caller = key && (await this.#agents.of(key.row, found));
    if (caller === undefined) return undefined;
    const shared = this.#withSharedGrants(caller);
    // A change that came while we were reading may have made this answer old.
    if (generation === this.#generation)
      this.#remember(digest, { caller: shared, expiresAt: key?.row.expires_at ?? Infinity, source });
    this.#touch(shared);
    return shared;
  }

  #remember(
    digest: string,
    { caller, expiresAt, source }: Pick<Known, 'caller' | 'expiresAt'> & { source: CallSource },
  ): void {
    const bytes = KNOWN_BYTES + JSON.stringify(caller.grants).length;
    const known = { caller, expiresAt, usedAt: this.#now(), bytes };
    this.#known.set(digest, { ...this.#known.get(digest), [source]: known });
  }

  #withSharedGrants(caller: Caller): Caller {
    const text = JSON.stringify(caller.grants);
    const grants = this.#grants.get(text) ?? caller.grants;
    this.#grants.set(text, grants);
    return { ...caller, grants };
  }

  /** A connection that calls back: what its token gives, cut to what it and the caller of then may do now. */
  async #lookAtCallToken(text: string, digest: string): Promise<Caller | undefined> {
    const generation = this.#generation;
    const now = this.#now();
    const known = this.#store.signal.isBroken() ? undefined : this.#calledBack.get(digest);
    if (known !== undefined && known.expiresAt > now) return known.caller;
    const claims = readCallToken(this.#store.secrets, text, now);
    const caller = claims && (await this.#callerOfClaims(claims));
    if (claims === undefined || caller === undefined) return undefined;
    const newest = this.#callsBack.get(caller.id);
    if (newest === undefined || newest.expires < claims.expires) this.#callsBack.set(caller.id, claims);
    if (generation === this.#generation)
      this.#calledBack.set(digest, { caller, expiresAt: claims.expires, usedAt: now, bytes: KNOWN_BYTES });
    return caller;
  }

  async #callerOfClaims(claims: CallClaims): Promise<Caller | undefined> {
    const { organization: organizationId, user: userId, source, unattended, connection } = claims;
    const allowed = await this.#callBacks.grantsOf(organizationId, connection);
    if (allowed === undefined) return undefined;
    const maker = await this.current({
      id: claims.caller,
      name: '',
      organizationId,
      userId,
      roles: [],
      grants: claims.grants,
      source,
      unattended,
    });
    // An agent has rights of its own kind, which nobody passes on.
    if (maker === undefined || maker.agent !== undefined) return undefined;
    const { isPrivileged } = this.#powers;
    const caller: Caller = {
      id: `${CALLS_BACK}${connection}_${claims.caller}`,
      name: maker.name,
      organizationId,
      userId: maker.userId,
      // Another server acts here, not a person: it administers nothing, whoever called it.
      roles: narrowedRoles(maker.roles, 'member'),
      grants: cutGrants(intersectGrants(claims.grants, allowed), maker.grants, isPrivileged),
      source: 'key',
      unattended,
      connectionId: connection,
      endsAt: claims.expires,
    };
    return mayAdminister(maker) ? caller : withoutLaundered(caller, maker.grants, isPrivileged);
  }

  /** What such a caller has now; nothing once its last token is over, or when it showed none to this process. */
  async #currentCallBack(caller: Caller): Promise<Caller | undefined> {
    const claims = this.#callsBack.get(caller.id);
    if (claims === undefined || claims.expires <= this.#now()) return undefined;
    return this.#callerOfClaims({ ...claims, grants: caller.grants });
  }

  /** A key that was neither revoked nor has expired. */
  async #keyOf(text: string): Promise<FoundKey | undefined> {
    const parts = parseKey(text);
    const found = await this.#keys.find(parts?.publicId ?? '');
    const isTheirs = isSecretOf(parts?.secret ?? '', found?.row.hash);
    return isTheirs && found !== undefined && this.#isAlive(found.row) ? found : undefined;
  }

  #isAlive(row: ApiKeyRow): boolean {
    return row.revoked_at === null && (row.expires_at ?? Infinity) > this.#now();
  }

  async #stillThere(caller: Caller, row: ApiKeyRow | undefined): Promise<Caller | undefined> {
    if (row !== undefined) return this.#isAlive(row) ? this.#callerOf(row, caller.source) : undefined;
    if (caller.agent !== undefined) return this.#agents.current(caller);
    // Somebody who is signed in acts as a member, without a key, and so does what they leave to be done.
    if (caller.source !== 'web' && !caller.unattended) return undefined;
    const { organizationId, id: memberId, source } = caller;
    return callerOfMember(this.#store, this.#powers.builtIn, { organizationId, memberId, source });
  }

  async #callerOf(row: ApiKeyRow, source: CallSource): Promise<Caller | undefined> {
    return this.#agents.of(row, await callerOfKey(this.#store, row, source, this.#powers));
  }

  #forget(): void {
    this.#generation += 1;
    this.#known.clear();
    this.#current.clear();
    this.#calledBack.clear();
  }

  #forgetCalledBack(): void {
    this.#generation += 1;
    this.#calledBack.clear();
  }

  #touch(caller: Caller): void {
    const now = this.#now();
    if (now - (this.#usedAt.get(caller.id) ?? 0) < USED_EVERY_MS) return;
    this.#usedAt.set(caller.id, now);
    this.#lastUses.note(caller.id, now);
  }
}

function isCallingBack({ id }: Caller): boolean {
  return id.startsWith(CALLS_BACK);
}

/** What a key may do now: its own grants cut to its owner's, and to its rank where it has one. */
export async function callerOfKey(
  store: Queryable,
  row: ApiKeyRow,
  source: CallSource,
  powers: Powers,
): Promise<Caller | undefined> {
  const roles = await rolesHeld(store, row.organization_id, row.user_id);
  return roles && callerWith(row, roles, { source, powers });
}

function callerWith(
  row: ApiKeyRow,
  roles: HeldRoles,
  { source, powers: { isPrivileged, builtIn } }: { source: CallSource; powers: Powers },
): Caller {
  const standing = standingOf(builtIn, roles);
  const held = row.role === null ? standing : narrowed(builtIn, standing, row.role);
  const caller: Caller = {
    id: row.id,
    name: row.name,
    organizationId: row.organization_id,
    userId: row.user_id,
    roles: held.roles,
    grants: cutGrants(fromJson<Grants>(row.grants), held.grants, isPrivileged),
    source,
    unattended: false,
    ...(row.connection_id !== null && { connectionId: row.connection_id }),
  };
  // An administrator's names are explicit, also in a key that stands lower than its owner.
  return mayAdminister(standing) ? caller : withoutLaundered(caller, held.grants, isPrivileged);
}
