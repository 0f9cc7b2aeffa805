/** Where calls go and what they carry: for each person the target of a connection, with credentials that work. */
import { createHmac, randomBytes } from 'node:crypto';
import type { DownstreamTokenRow, SealedCredentials, UpstreamTarget } from '@parley/connections';
import {
  callBackGrants,
  findRow,
  grantTypeOf,
  isUsable,
  openConnection,
  openedTarget,
  openedToken,
  placeToken,
  RENEW_BEFORE_MS,
  sealedCredentials,
  signsInItself,
} from '@parley/connections';
import type { Caller, ReadHeader } from '@parley/kit';
import { detach } from '@parley/kit';
import { UpstreamFault } from '../link.ts';
import {
  authorizationNeeded,
  personalTokenNeeded,
  refusedBy,
  refusedWhenNew,
  renewalFailed,
} from './needed.ts';
import { resourceOf } from './oauth-fetch.ts';
import type { CredentialParts } from './parts.ts';
import type { Renewals } from './renewal.ts';
import { createRenewals } from './renewal.ts';
import type { KnownCredentials } from './sealed-cache.ts';
import { SealedCache } from './sealed-cache.ts';

type Headers = Readonly<Record<string, string>>;

/** Where one call goes, and what it carries besides. */
export interface CallCredentials {
  readonly target: UpstreamTarget;
  /** Headers of this one request: the token to call back with. Undefined: none. */
  readonly headers: Headers | undefined;
}

/** Targets for callers. What throws is an `UpstreamFault`. */
export interface Targets {
  /** What `targetFor` and `headersFor` give, at once where it is known: no call waits for a look into memory. */
  credentialsFor(
    caller: Caller,
    connectionId: string,
    header?: ReadHeader,
  ): CallCredentials | Promise<CallCredentials>;
  /**
   * Where a call of this caller goes; the same object for a few seconds. `header` reads the headers of the client's
   * request, for the one that the connection maps.
   */
  targetFor(caller: Caller, connectionId: string, header?: ReadHeader): Promise<UpstreamTarget>;
  /** Headers of one request besides those of the target: the token to call back with. Undefined: none. */
  headersFor(caller: Caller, connectionId: string): Promise<Headers | undefined>;
  /**
   * The target to try once more with after the server answered 401 to this one, so that nothing ran; throws when there
   * is nothing better, with what the person can do.
   */
  afterRefusal(caller: Caller, refused: UpstreamTarget, header?: ReadHeader): Promise<UpstreamTarget>;
  /** A call with one renewal and one repetition when its server refuses the token. */
  through<T>(
    caller: Caller,
    connectionId: string,
    work: (target: UpstreamTarget, headers: Headers | undefined) => Promise<T>,
    header?: ReadHeader,
  ): Promise<T>;
  /** The same target with a token that is not over, where its server gave one. */
  freshened(target: UpstreamTarget): Promise<UpstreamTarget>;
  close(): void;
}

/** A call-back token lives for 5 minutes; the other server gets most of them. */
const CALL_TOKEN_MS = 60_000;
const MOST_CALL_TOKENS = 1000;
/** As of stored secrets: a shorter text would be cut out of any sentence. */
const SHORTEST_SECRET = 6;
// A token that came of a refusal so lately and is refused all the same is not helped by another.
const REFUSED_EVERY_MS = 30_000;
const MOST_REFUSED = 10_000;

export function createTargets(parts: CredentialParts, renewals: Renewals = createRenewals(parts)): Targets {
  const { store, now, onFault } = parts;
  const cache = new SealedCache(store, (organizationId, connectionId, userId) =>
    load(organizationId, connectionId, userId),
  );
  /** When a token was last renewed because its server refused it, by its row; the first entry is the oldest. */
  const renewedAt = new Map<string, number>();
  // What tells two header values apart in this process, and tells nobody what they are.
  const digestKey = randomBytes(32);

  async function load(organizationId: string, connectionId: string, userId: string | null) {
    const row = await findRow(store, organizationId, connectionId);
    if (row === undefined)
      throw new UpstreamFault('not_allowed', 'The connection is not there any more.', { wasSent: false });
    const sealed = await sealedCredentials(store, row, userId);
    if (sealed.granted !== undefined || !signsInItself(row)) return sealed;
    const url = URL.parse(openConnection(store.secrets, row).connection_url ?? '');
    const resource = url === null ? null : resourceOf(url);
    await placeToken(store, { organizationId, connectionId, userId: '' }, { resource, now: now() });
    return sealedCredentials(store, row, userId);
  }

  /** True when the token of what is known is over, or soon will be. */
  function isDue({ sealed: { granted } }: KnownCredentials): boolean {
    return granted !== undefined && (granted.expires_at ?? Infinity) - now() < RENEW_BEFORE_MS;
  }

  /** What is stored for a caller, with a token that is not over. */
  async function credentialsOf(
    caller: Caller,
    connectionId: string,
    stored = cache.of(caller, connectionId),
  ): Promise<KnownCredentials> {
    const known = await stored;
    const { granted } = known.sealed;
    if (granted === undefined) return known;
    const leftMs = (granted.expires_at ?? Infinity) - now();
    if (leftMs >= RENEW_BEFORE_MS || !canRenew(known.sealed, granted)) return known;
    const renewing = renewals.renewed(granted, 'due');
    if (leftMs > 0) {
      // It is good for this call; the next ones get the new one.
      detach(renewing, (error) => onFault(error, 'credentials'));
      return known;
    }
    await renewing;
    // Whoever waited beside this call may have read it already.
    if (cache.peek(caller, connectionId) === known) cache.forget(caller, connectionId);
    return cache.of(caller, connectionId);
  }

  /** What a caller is told whose refused token is not renewed; undefined: it is worth a try. */
  function hopelessOf(
    caller: Caller,
    sealed: SealedCredentials,
    granted: DownstreamTokenRow,
  ): UpstreamFault | undefined {
    if (granted.needs_reauth === 0 && (granted.retry_at ?? 0) > now()) return renewalFailed(sealed, now());
    if (!canRenew(sealed, granted)) return authorizationNeeded(parts, caller, sealed, 'refused');
    const leftMs = (renewedAt.get(granted.id) ?? -Infinity) + REFUSED_EVERY_MS - now();
    return leftMs > 0 ? refusedWhenNew(sealed, leftMs) : undefined;
  }

  function noteRenewal({ id }: DownstreamTokenRow): void {
    renewedAt.delete(id);
    renewedAt.set(id, now());
    const [oldest] = renewedAt.size > MOST_REFUSED ? renewedAt.keys() : [];
    if (oldest !== undefined) renewedAt.delete(oldest);
  }

  function canRenew({ row }: SealedCredentials, granted: DownstreamTokenRow): boolean {
    if (granted.needs_reauth === 1 || (granted.retry_at ?? 0) > now()) return false;
    return signsInItself(row) || openedToken(store.secrets, granted).refresh !== undefined;
  }

  /** Refuses a call that lacks what it needs, before anything is sent. */
  function requireCredentials(caller: Caller, sealed: SealedCredentials): void {
    const { row, settings, granted, personal } = sealed;
    if (settings.personalToken !== undefined && personal === undefined)
      throw personalTokenNeeded(sealed, 'missing');
    if (granted !== undefined) {
      if (isUsable(granted, now())) return;
      const mayCome = granted.needs_reauth === 0 && granted.failures > 0;
      throw mayCome ? renewalFailed(sealed, now()) : authorizationNeeded(parts, caller, sealed, 'over');
    }
    const isWanted =
      settings.oauth !== undefined ||
      (grantTypeOf(row) === 'authorization_code' && row.has_connection_token === 0);
    if (isWanted && personal === undefined) throw authorizationNeeded(parts, caller, sealed, 'missing');
  }

  function opened(caller: Caller, known: KnownCredentials): UpstreamTarget {
    requireCredentials(caller, known.sealed);
    return cache.opened(known, () => {
      const { sealed } = known;
      const target = openedTarget(store.secrets, sealed, parts.reachOf?.(sealed.row));
      if (target !== undefined) return target;
      throw new UpstreamFault('not_allowed', `"${sealed.row.title}" leads to no other server.`, {
        wasSent: false,
      });
    });
  }

  /** The target with the header that the client brought for it; it is kept nowhere. */
  function mapped(
    target: UpstreamTarget,
    { settings: { mappedHeader } }: SealedCredentials,
    header: ReadHeader | undefined,
  ): UpstreamTarget {
    const value = mappedHeader && header?.(mappedHeader.from);
    if (mappedHeader === undefined || value === undefined || value === '') return target;
    const { [mappedHeader.to]: _replaced, ...headers } = target.headers;
    // Sessions of two who bring different keys are never shared.
    const digest = createHmac('sha256', digestKey).update(value).digest('base64url');
    return {
      ...target,
      headers: { ...headers, [mappedHeader.to]: value },
      secrets: value.length < SHORTEST_SECRET ? target.secrets : [value, ...target.secrets],
      storedSecrets: target.secrets,
      principal: `${target.principal} ${digest}`,
    };
  }

  function callToken(caller: Caller, known: KnownCredentials): string | undefined {
    const { row, settings } = known.sealed;
    if (settings.callbackToken !== true) return undefined;
    const held = known.callTokens.get(caller);
    if (held !== undefined && held.untilMs > performance.now()) return held.token;
    const allowed = callBackGrants(store.secrets, row);
    const token = allowed && parts.callTokenFor(caller, row.id, allowed);
    if (token === undefined) return undefined;
    if (known.callTokens.size >= MOST_CALL_TOKENS) known.callTokens.clear();
    known.callTokens.set(caller, { token, untilMs: performance.now() + CALL_TOKEN_MS });
    return token;
  }

  function headersOf(caller: Caller, known: KnownCredentials): Headers | undefined {
    const token = callToken(caller, known);
    return token === undefined ? undefined : { 'x-parley-token': token };
  }

  function carriedBy(
    caller: Caller,
    known: KnownCredentials,
    header: ReadHeader | undefined,
  ): CallCredentials {
    const target = mapped(opened(caller, known), known.sealed, header);
    return { target, headers: headersOf(caller, known) };
  }

  const targets: Targets = {
    credentialsFor(caller, connectionId, header) {
      const stored = cache.of(caller, connectionId);
      if (!(stored instanceof Promise) && !isDue(stored)) return carriedBy(caller, stored, header);
      return credentialsOf(caller, connectionId, stored).then((known) => carriedBy(caller, known, header));
    },
    async targetFor(caller, connectionId, header) {
      const known = await credentialsOf(caller, connectionId);
      return mapped(opened(caller, known), known.sealed, header);
    },
    headersFor: async (caller, connectionId) => headersOf(caller, await cache.of(caller, connectionId)),
    async afterRefusal(caller, refused, header) {
      const { id } = refused;
      cache.forget(caller, id);
      const { sealed } = await cache.of(caller, id);
      const { granted, personal } = sealed;
      if (granted === undefined)
        throw personal === undefined
          ? refusedBy(parts, caller, sealed)
          : personalTokenNeeded(sealed, 'refused');
      const isNewer = openedToken(store.secrets, granted).access !== refused.token;
      if (!isNewer) {
        const hopeless = hopelessOf(caller, sealed, granted);
        if (hopeless !== undefined) throw hopeless;
        noteRenewal(granted);
        await renewals.renewed(granted, 'refused');
        cache.forget(caller, id);
      }
      const target = await targets.targetFor(caller, id, header);
      if (target.token === refused.token) throw renewalFailed((await cache.of(caller, id)).sealed, now());
      return target;
    },
    async through(caller, connectionId, work, header) {
      const target = await targets.targetFor(caller, connectionId, header);
      const headers = await targets.headersFor(caller, connectionId);
      try {
        return await work(target, headers);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      return work(await targets.afterRefusal(caller, target, header), headers).catch((error: unknown) => {
        throw isRefusal(error) ? lasting(caller, connectionId, error) : error;
      });
    },
    async freshened(target) {
      const { organizationId, id, principal } = target;
      const known = await knownOrGone({ organizationId, userId: principal }, id);
      if (known === undefined) return target;
      const { sealed } = known;
      const { granted } = sealed;
      const isDue = granted !== undefined && (granted.expires_at ?? Infinity) - now() < RENEW_BEFORE_MS;
      if (!isDue || !canRenew(sealed, granted)) return target;
      const row = await renewals.renewed(granted, 'due');
      return row === undefined ? target : { ...target, token: openedToken(store.secrets, row).access };
    },
    close: () => cache.close(),
  };

  /** What is stored; undefined when the connection was deleted meanwhile. */
  async function knownOrGone(whose: Pick<Caller, 'organizationId' | 'userId'>, connectionId: string) {
    try {
      return await cache.of(whose, connectionId);
    } catch (error) {
      if (error instanceof UpstreamFault) return undefined;
      throw error;
    }
  }

  /** The server refuses a token that was just renewed: it may take it in a moment, unless nobody can renew it again. */
  function lasting(caller: Caller, connectionId: string, error: UpstreamFault): UpstreamFault {
    const sealed = cache.peek(caller, connectionId)?.sealed;
    if (sealed?.granted === undefined) return error;
    return hopelessOf(caller, sealed, sealed.granted) ?? refusedWhenNew(sealed, REFUSED_EVERY_MS);
  }
  return targets;
}

function isRefusal(error: unknown): error is UpstreamFault {
  return error instanceof UpstreamFault && error.kind === 'auth_required';
}
