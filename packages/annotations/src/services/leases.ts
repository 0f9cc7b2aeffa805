/** Leases: an agent that takes a note up holds it as long as it is heard from, or as long as its connection lives. */
import type { AnnotationTables } from '../schema.ts';
import type { Agent } from './holder.ts';
import { HELD, holderOf } from './holder.ts';
import { letGo } from './lapse.ts';
import type { ActionParts } from './transitions.ts';

export interface LeaseParts extends ActionParts {
  readonly onFault: (error: unknown, where: string) => void;
}

const RENEW_EVERY_MS = 5000;
const BEAT_MS = 30_000;
const MAX_REMEMBERED = 1000;

/** The leases that this process renews, and the lapsed ones that it takes back. */
export class Leases {
  readonly #parts: LeaseParts;
  readonly #live = new Set<string>();
  readonly #renewedAt = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> = Promise.resolve();

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    const beatMs = Math.min(BEAT_MS, parts.limits.noteLeaseMs / 4);
    const beat = () => {
      this.#beating = this.beat();
    };
    this.#timer = setInterval(beat, beatMs).unref();
  }

  /** The end of a lease that is given or renewed now. */
  until(): number {
    return this.#parts.now() + this.#parts.limits.noteLeaseMs;
  }

  /** Ties what an agent holds to its connection: renewed while that lives, let go when it ends. */
  tie({ connection }: Agent): void {
    if (connection === undefined || this.#live.has(connection.id)) return;
    const { id } = connection;
    this.#live.add(id);
    connection.onEnd(async () => {
      this.#live.delete(id);
      await this.#try(() => letGo(this.#parts, { connection: id }));
    });
  }

  /** Any call of a holder renews all that it holds; written at most every 5 s. */
  async renew(agent: Agent): Promise<void> {
    const now = this.#parts.now();
    const holder = holderOf(agent);
    const key = JSON.stringify(holder);
    if (now - (this.#renewedAt.get(key) ?? -Infinity) < RENEW_EVERY_MS) return;
    if (this.#renewedAt.size >= MAX_REMEMBERED) this.#renewedAt.clear();
    this.#renewedAt.set(key, now);
    await this.#try(() =>
      this.#held()
        .where(({ and }) => and(holder))
        .execute(),
    );
  }

  /** Takes back what has lapsed; whatever process comes first. */
  async reclaim(): Promise<void> {
    await this.#try(() => letGo(this.#parts, { lapsedAt: this.#parts.now() }));
  }

  /** Renews what hangs on a connection of this process, then takes back what has lapsed. */
  async beat(): Promise<void> {
    const live = [...this.#live];
    if (live.length > 0) await this.#try(() => this.#held().where('holder_connection', 'in', live).execute());
    await this.reclaim();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }

  #held() {
    return this.#parts.store
      .db<AnnotationTables>()
      .updateTable('annotations')
      .set({ lease_until: this.until() })
      .where('lease_until', 'is not', null)
      .where('status', 'in', HELD);
  }

  /** A lease that cannot be written is no reason to refuse a call that only looks. */
  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.onFault(error, 'note lease');
    }
  }
}
