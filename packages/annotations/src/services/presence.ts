/** Presence: which agents are there, written off the path of the calls that show it. */
import type { Caller } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { AnnotationTables } from '../schema.ts';
import type { Presence } from '../shapes.ts';
import type { AnnotationChanges } from './changes.ts';
import { isoTime } from './rows.ts';

export interface PresenceParts {
  readonly store: Store;
  readonly changes: AnnotationChanges;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

const STAMP_EVERY_MS = 5000;
const PRESENT_MS = 40_000;
const WATCH_STAMP_MS = 10_000;
const MAX_CLIENT_LENGTH = 200;

interface Agent {
  readonly caller: Caller;
  readonly client: string;
}

/** Stamps callers and tells who is there. */
export class PresenceBook {
  readonly #parts: PresenceParts;
  readonly #stampedAt = new Map<string, number>();
  readonly #watching = new Map<string, Agent & { count: number }>();
  #timer: NodeJS.Timeout | undefined;
  /** One write after another, so that an older stamp never lands on a newer one. */
  #written: Promise<void> = Promise.resolve();

  constructor(parts: PresenceParts) {
    this.#parts = parts;
  }

  /** Notes that a caller used a tool; at most one write per 5 s and caller. */
  stamp(caller: Caller, client: string | null): void {
    this.#stamp(agentOf(caller, client));
  }

  /** Counts a watch as present until the returned function is called. */
  beginWatch(caller: Caller, client: string | null): () => void {
    const agent = agentOf(caller, client);
    const key = keyOf(agent);
    const watching = this.#watching.get(key) ?? { ...agent, count: 0 };
    watching.count += 1;
    this.#watching.set(key, watching);
    this.#stamp(agent);
    this.#timer ??= setInterval(() => this.#stampWatching(), WATCH_STAMP_MS).unref();
    return () => {
      watching.count -= 1;
      if (watching.count === 0) this.#watching.delete(key);
      if (this.#watching.size === 0) this.#stopTimer();
      this.#stamp(agent);
    };
  }

  /** Who is there, as the page of a session sees it. */
  async of(organizationId: string, sessionId: string): Promise<Presence> {
    const db = this.#parts.store.db<AnnotationTables>();
    const rows = await db
      .selectFrom('annotation_presence')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('last_seen_at', '>', this.#parts.now() - PRESENT_MS)
      .orderBy('last_seen_at', 'desc')
      .limit(20)
      .execute();
    const agents = rows.map(({ caller_name: name, client, last_seen_at }) => ({
      name,
      ...(client !== '' && { client }),
      lastSeenAt: isoTime(last_seen_at),
    }));
    if (agents.length === 0) return { state: 'none', agents };
    const taken = await db
      .selectFrom('annotations')
      .select('id')
      .where('session_id', '=', sessionId)
      .where('status', 'in', ['acknowledged', 'diff_proposed'])
      .limit(1)
      .executeTakeFirst();
    return { state: taken === undefined ? 'watching' : 'working', agents };
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    this.#stopTimer();
    await this.#written;
  }

  #stampWatching(): void {
    for (const agent of this.#watching.values()) this.#stamp(agent);
  }

  #stamp(agent: Agent): void {
    const now = this.#parts.now();
    const key = keyOf(agent);
    if (now - (this.#stampedAt.get(key) ?? -Infinity) < STAMP_EVERY_MS) return;
    this.#forgetOld(now);
    this.#stampedAt.set(key, now);
    this.#written = this.#written
      .then(() => this.#parts.store.transaction((tx) => this.#write(tx, agent, now)))
      .catch((error: unknown) => this.#parts.onFault(error, 'presence'));
  }

  async #write(tx: StoreTransaction, { caller, client }: Agent, now: number): Promise<void> {
    const { organizationId, id, name } = caller;
    const db = tx.db<AnnotationTables>();
    const before = await db
      .selectFrom('annotation_presence')
      .select('last_seen_at')
      .where('organization_id', '=', organizationId)
      .where('caller_id', '=', id)
      .executeTakeFirst();
    await db
      .insertInto('annotation_presence')
      .values({
        organization_id: organizationId,
        caller_id: id,
        client,
        caller_name: name,
        last_seen_at: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'caller_id'])
          .doUpdateSet({ client, caller_name: name, last_seen_at: now }),
      )
      .execute();
    const wasThere = before !== undefined && before.last_seen_at > now - PRESENT_MS;
    if (!wasThere) await this.#parts.changes.announce(tx, { kind: 'presence', organizationId });
  }

  /** Keeps the map as small as the number of callers who are there. */
  #forgetOld(now: number): void {
    for (const [key, at] of this.#stampedAt) if (now - at > PRESENT_MS) this.#stampedAt.delete(key);
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function agentOf(caller: Caller, client: string | null): Agent {
  return { caller, client: (client ?? '').slice(0, MAX_CLIENT_LENGTH) };
}

function keyOf({ caller }: Agent): string {
  return `${caller.organizationId} ${caller.id}`;
}
