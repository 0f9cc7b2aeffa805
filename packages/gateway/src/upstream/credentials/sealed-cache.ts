/** Credentials of people as they are stored, in memory until somebody changes them; opened for a few seconds at most. */
import type { SealedCredentials, UpstreamTarget } from '@parley/connections';
import { CONNECTIONS_CHANGED, TOKENS_CHANGED } from '@parley/connections';
import type { Caller } from '@parley/kit';
import type { SignalEvent, Store } from '@parley/store';

/** What is known for one person and one connection. */
export interface KnownCredentials {
  readonly sealed: SealedCredentials;
  /** Tokens to call back with, by the caller that they were made for. */
  readonly callTokens: Map<Caller, { readonly token: string; readonly untilMs: number }>;
  opened: { readonly target: UpstreamTarget; readonly untilMs: number } | undefined;
}

type Whose = Pick<Caller, 'organizationId' | 'userId'>;
type Load = (
  organizationId: string,
  connectionId: string,
  userId: string | null,
) => Promise<SealedCredentials>;

/**
 * How long an opened target is held after the call that opened it. Opening costs more than the rest of a short call,
 * and links know a target by its identity. The key that opens the seal is in the same memory all the time, so whoever
 * could read the one could read the other; what a few seconds must not be is for ever, in a dump or a leak.
 */
const OPEN_MS = 5_000;
const MOST_PER_ORGANIZATION = 10_000;
const MOST_ORGANIZATIONS = 1_000;

export class SealedCache {
  readonly #store: Store;
  readonly #load: Load;
  /** By organization, which is what a change names, then by connection and person. */
  readonly #known = new Map<string, Map<string, KnownCredentials>>();
  readonly #open = new Set<KnownCredentials>();
  readonly #ends: readonly (() => void)[];
  #sweep: NodeJS.Timeout | undefined;
  #generation = 0;

  constructor(store: Store, load: Load) {
    this.#store = store;
    this.#load = load;
    this.#ends = [
      store.signal.subscribe(CONNECTIONS_CHANGED, (event) => this.#changed(event)),
      store.signal.subscribe(TOKENS_CHANGED, (event) => this.#changed(event)),
    ];
  }

  /** What is stored for somebody, from memory where it is known. */
  of(whose: Whose, connectionId: string): KnownCredentials | Promise<KnownCredentials> {
    // While nothing is heard of other processes, what one of them took away would stay valid here.
    const known = this.#store.signal.isBroken() ? undefined : this.peek(whose, connectionId);
    return known ?? this.#read(whose, connectionId);
  }

  /** The same, only when it is known. */
  peek({ organizationId, userId }: Whose, connectionId: string): KnownCredentials | undefined {
    return this.#known.get(organizationId)?.get(keyOf(connectionId, userId));
  }

  /** The opened target of what is known. */
  opened(known: KnownCredentials, open: () => UpstreamTarget): UpstreamTarget {
    const nowMs = performance.now();
    if (known.opened !== undefined && known.opened.untilMs > nowMs) return known.opened.target;
    const target = open();
    known.opened = { target, untilMs: nowMs + OPEN_MS };
    this.#open.add(known);
    this.#sweep ??= setInterval(() => this.#closeOld(), OPEN_MS).unref();
    return target;
  }

  forget({ organizationId, userId }: Whose, connectionId: string): void {
    this.#known.get(organizationId)?.delete(keyOf(connectionId, userId));
  }

  close(): void {
    for (const end of this.#ends) end();
    clearInterval(this.#sweep);
    this.#known.clear();
    this.#open.clear();
  }

  async #read({ organizationId, userId }: Whose, connectionId: string): Promise<KnownCredentials> {
    const generation = this.#generation;
    const sealed = await this.#load(organizationId, connectionId, userId);
    const known: KnownCredentials = { sealed, callTokens: new Map(), opened: undefined };
    // A change that came while we were reading may have made this old.
    if (generation === this.#generation) this.#keep(organizationId, keyOf(connectionId, userId), known);
    return known;
  }

  #keep(organizationId: string, key: string, known: KnownCredentials): void {
    const own = this.#known.get(organizationId) ?? new Map<string, KnownCredentials>();
    own.set(key, known);
    dropOldest(own, MOST_PER_ORGANIZATION);
    this.#known.set(organizationId, own);
    dropOldest(this.#known, MOST_ORGANIZATIONS);
  }

  /** Forgets what a change may concern: an organization, one connection of it, or one person there. */
  #changed({ topic, payload }: SignalEvent): void {
    this.#generation += 1;
    const [organizationId = '', connectionId, userId] = payload?.split(' ') ?? [];
    if (topic === '*' || payload === null) return this.#known.clear();
    if (connectionId === undefined) {
      this.#known.delete(organizationId);
      return;
    }
    const own = this.#known.get(organizationId);
    if (userId !== undefined && userId !== '') own?.delete(keyOf(connectionId, userId));
    // What is for everybody is known under the name of each.
    else for (const key of own?.keys() ?? []) if (key.startsWith(`${connectionId} `)) own?.delete(key);
  }

  #closeOld(): void {
    const nowMs = performance.now();
    for (const known of this.#open) {
      if (known.opened !== undefined && known.opened.untilMs > nowMs) continue;
      known.opened = undefined;
      this.#open.delete(known);
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}

function keyOf(connectionId: string, userId: string | null): string {
  return `${connectionId} ${userId ?? ''}`;
}

/** The first entry of a map is the oldest. */
function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.size > most ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
