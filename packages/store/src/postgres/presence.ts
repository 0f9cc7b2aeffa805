/** Presence on PostgreSQL: a shared session lock for each id, on the connection that listens; the server drops it with the connection. */
import { hash } from 'node:crypto';
import type { Presence } from '../presence.ts';

/** The first number of these locks; the second is made from the id. */
const LOCK_CLASS = 4_680_002;
/** Longer than a process takes to connect anew, so that a lost connection is no death. */
const GRACE_MS = 8_000;
/** What happened in a longer pause between two looks is not known. */
const LONGEST_GAP_MS = 3_000;

// Tried only: nobody may hold up the connection that listens.
const HOLD_SQL = `select pg_try_advisory_lock_shared(${LOCK_CLASS}, key) from unnest($1::int[]) as key`;
const LEAVE_SQL = `select pg_advisory_unlock_shared(${LOCK_CLASS}, $1)`;
const PRESENT_SQL = `select distinct objid::int8::bit(32)::int4 as key from pg_locks
  where locktype = 'advisory' and classid = ${LOCK_CLASS} and objsubid = 2 and granted
  and database = (select oid from pg_database where datname = current_database())`;

/** Asks on the connection that listens; undefined while there is none, or when it is lost over the question. */
export type AskListening = (sql: string, parameters: unknown[]) => Promise<{ rows: unknown[] } | undefined>;

/** Two ids with one number stand for each other, so a dead one may look alive; its lease ends all the same. */
function keyOf(id: string): number {
  return Buffer.from(hash('sha256', id, 'hex').slice(0, 8), 'hex').readInt32BE();
}

/** Who this process holds, and whom it misses. */
export class PostgresPresence implements Presence {
  readonly isKept: boolean;
  readonly graceMs = GRACE_MS;
  readonly #ask: AskListening;
  readonly #held = new Set<number>();
  /** Of those that are held, the ones that the present connection has. */
  readonly #taken = new Set<number>();
  readonly #missedSince = new Map<string, number>();
  #present: ReadonlySet<number> = new Set();
  #connectedMs = 0;
  #lookedMs = 0;
  /** Since when others may miss this process. */
  #missedMs: number | undefined;

  /** `origin` names the process itself, which is there as long as its connection is. */
  constructor(origin: string, { isKept, ask }: { readonly isKept: boolean; readonly ask: AskListening }) {
    this.isKept = isKept;
    if (isKept) this.#held.add(keyOf(origin));
    this.#ask = ask;
  }

  async hold(id: string): Promise<void> {
    // A lock would stay with whoever uses the session of a pooler next.
    if (!this.isKept) return;
    this.#held.add(keyOf(id));
    // Without a connection it is taken with the next one.
    await this.take();
  }

  async leave(id: string): Promise<void> {
    const key = keyOf(id);
    this.#held.delete(key);
    if (this.#taken.delete(key)) await this.#ask(LEAVE_SQL, [key]);
  }

  async gone(ids: readonly string[]): Promise<string[]> {
    const now = performance.now();
    const isGap = now - this.#lookedMs > LONGEST_GAP_MS;
    this.#lookedMs = now;
    if (isGap) this.#missedSince.clear();
    // After an outage others may need longer to come back than this process did.
    if (!this.isKept || ids.length === 0 || now - this.#connectedMs < GRACE_MS) return [];
    const present = await this.#look();
    if (present === undefined) return [];
    const missing = new Set(ids.filter((id) => !present.has(keyOf(id))));
    for (const id of this.#missedSince.keys()) if (!missing.has(id)) this.#missedSince.delete(id);
    return [...missing].filter((id) => {
      const since = this.#missedSince.get(id) ?? now;
      this.#missedSince.set(id, since);
      return now - since >= GRACE_MS;
    });
  }

  missedMs(): number {
    return this.#missedMs === undefined ? 0 : performance.now() - this.#missedMs;
  }

  /** The connection is lost; from now on others may look and miss this process. */
  lost(): void {
    if (this.isKept) this.#missedMs ??= performance.now();
  }

  /** The database itself is away: nobody looks, and whoever comes back first waits for the others. */
  lostByAll(): void {
    if (this.#missedMs !== undefined) this.#missedMs = performance.now();
  }

  /** Takes on a new connection what the old one held. */
  async connected(ask: AskListening): Promise<void> {
    this.#taken.clear();
    this.#missedSince.clear();
    this.#connectedMs = performance.now();
    if (!this.isKept) return;
    await this.take(ask);
    this.#missedMs = undefined;
    this.#present = (await this.#look(ask)) ?? this.#present;
  }

  /** Takes what is held and the connection does not have yet. */
  async take(ask = this.#ask): Promise<void> {
    const keys = [...this.#held].filter((key) => !this.#taken.has(key));
    if (keys.length === 0) return;
    // At once: a second question would take it a second time.
    for (const key of keys) this.#taken.add(key);
    const isTaken = (await ask(HOLD_SQL, [keys])) !== undefined;
    if (!isTaken) for (const key of keys) this.#taken.delete(key);
  }

  /** True when somebody who was there at the last look is there no more: they may have died before they told of a change. */
  async hasLostSomebody(): Promise<boolean> {
    if (!this.isKept) return false;
    const before = this.#present;
    const present = (await this.#look()) ?? before;
    this.#present = present;
    return [...before].some((key) => !present.has(key));
  }

  /** Who leaves with this process. */
  goodbye(): string {
    return [...this.#held].join();
  }

  /** Those who have said goodbye are not missed. */
  forget(goodbye: string): void {
    const left = new Set(goodbye.split(',').map(Number));
    this.#present = new Set([...this.#present].filter((key) => !left.has(key)));
  }

  async #look(ask = this.#ask): Promise<Set<number> | undefined> {
    const answer = await ask(PRESENT_SQL, []);
    // The statement says what the rows are.
    const rows = answer?.rows as Array<{ key: number }> | undefined;
    return rows && new Set(rows.map(({ key }) => key));
  }
}
