/** What upstreams have announced and nobody has read yet: calls that must not run on old definitions wait for it. */
import type { Store, StoreTransaction } from '@parley/store';
import type { ConnectionRefreshRow, ConnectionTables } from '../schema.ts';
import { BETWEEN_MS } from './due.ts';
import { REFRESH_ANNOUNCED, REFRESH_ENDED } from './lease.ts';

interface Waiting {
  readonly ended: Promise<void>;
  end(): void;
}

/** The announcements that this process has heard of, its own and those of others. */
export class Announcements {
  readonly #waiting = new Map<string, Waiting>();
  readonly #longestMs: number;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** Hears of announcements in every process; returns the function that ends it. */
  follow({ signal }: Pick<Store, 'signal'>): () => void {
    return signal.subscribe('refresh.', ({ topic, payload }) => {
      if (payload === null) return;
      if (topic === REFRESH_ANNOUNCED) this.begin(payload);
      if (topic === REFRESH_ENDED) this.end(payload);
    });
  }

  begin(connectionId: string): void {
    if (this.#waiting.has(connectionId)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    // A process that dies, or a signal that is lost, must not hold calls for ever.
    const timer = setTimeout(() => this.end(connectionId), this.#longestMs).unref();
    this.#waiting.set(connectionId, {
      ended: promise,
      end() {
        clearTimeout(timer);
        resolve();
      },
    });
  }

  end(connectionId: string): void {
    const waiting = this.#waiting.get(connectionId);
    this.#waiting.delete(connectionId);
    waiting?.end();
  }

  /** Undefined when nothing was announced, so that nobody waits. */
  settled(connectionId: string): Promise<void> | undefined {
    return this.#waiting.get(connectionId)?.ended;
  }

  close(): void {
    for (const id of this.#waiting.keys()) this.end(id);
  }
}

/** Writes an announcement down; undefined when there is nothing to ask, else when it may be asked. */
export async function writeAnnouncement(
  tx: StoreTransaction,
  connectionId: string,
  now: number,
): Promise<number | undefined> {
  const row = await lockedRow(tx, connectionId);
  if (row === undefined) return undefined;
  const due_at = Math.min(row.due_at, Math.max(now, (row.started_at ?? 0) + BETWEEN_MS));
  // One that nobody has begun to read covers this one too.
  const isCovered = row.wanted > row.started;
  await tx
    .db<ConnectionTables>()
    .updateTable('connection_refreshes')
    .set({ due_at, wanted: isCovered ? row.wanted : row.wanted + 1 })
    .where('connection_id', '=', connectionId)
    .execute();
  if (!isCovered) await tx.signal(REFRESH_ANNOUNCED, connectionId);
  return due_at;
}

function lockedRow(tx: StoreTransaction, id: string): Promise<ConnectionRefreshRow | undefined> {
  const query = tx
    .db<ConnectionTables>()
    .selectFrom('connection_refreshes')
    .selectAll()
    .where('connection_id', '=', id);
  return tx.locked(query).executeTakeFirst();
}
