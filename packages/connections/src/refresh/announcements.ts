/** What upstreams have announced and nobody has read yet: calls that must not run on old definitions wait for it. */
import type { Store, StoreTransaction } from '@parley/store';
import type { ConnectionRefreshRow, ConnectionTables } from '../schema.ts';
import { BETWEEN_MS } from './due.ts';
import { REFRESH_ANNOUNCED, REFRESH_ENDED } from './lease.ts';

/** One announcement that is not read yet. */
interface Waiting {
  /** Its number in the row of the connection; unknown until that is written. */
  number: number | undefined;
  readonly ended: Promise<void>;
  end(): void;
}

/** The announcements that this process has heard of, its own and those of others. */
export class Announcements {
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #longestMs: number;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** Hears of announcements in every process; returns the function that ends it. */
  follow({ signal }: Pick<Store, 'signal'>): () => void {
    return signal.subscribe('refresh.', ({ topic, payload }) => {
      const [digits = '', id = ''] = payload?.split(' ') ?? [];
      if (topic === REFRESH_ANNOUNCED) this.begin(id, Number(digits));
      if (topic === REFRESH_ENDED) this.end(id, Number(digits));
    });
  }

  /** An announcement from now on; one of this process gets its number when that is known. */
  begin(connectionId: string, number?: number): Waiting {
    const waiting = this.#waiting.get(connectionId) ?? [];
    const known = number === undefined ? undefined : waiting.find((each) => each.number === number);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<void>();
    // A process that dies, or a signal that is lost, must not hold calls for ever.
    const timer = setTimeout(
      () => this.#remove(connectionId, (each) => each === own),
      this.#longestMs,
    ).unref();
    const own: Waiting = {
      number,
      ended: promise,
      end() {
        clearTimeout(timer);
        resolve();
      },
    };
    this.#waiting.set(connectionId, [...waiting, own]);
    return own;
  }

  /** Everything up to this number has been read. */
  end(connectionId: string, number: number): void {
    this.#remove(connectionId, (each) => each.number !== undefined && each.number <= number);
  }

  /** There is nothing to be read. */
  drop(connectionId: string): void {
    this.#remove(connectionId, () => true);
  }

  /** Ends when all that was announced until now is read; undefined when nothing is open, so that nobody waits. */
  settled(connectionId: string): Promise<void> | undefined {
    const waiting = this.#waiting.get(connectionId);
    if (waiting === undefined) return undefined;
    return waiting.length === 1
      ? waiting[0]?.ended
      : Promise.all(waiting.map(({ ended }) => ended)).then(() => undefined);
  }

  close(): void {
    for (const id of this.#waiting.keys()) this.drop(id);
  }

  #remove(connectionId: string, isOver: (each: Waiting) => boolean): void {
    const waiting = this.#waiting.get(connectionId) ?? [];
    const left = waiting.filter((each) => !isOver(each));
    if (left.length === 0) this.#waiting.delete(connectionId);
    else this.#waiting.set(connectionId, left);
    for (const each of waiting) if (!left.includes(each)) each.end();
  }
}

/** An announcement that is written down. */
export interface Announced {
  readonly number: number;
  /** When the upstream may be asked. */
  readonly dueAt: number;
}

/** Writes an announcement down; undefined when there is nobody to ask. */
export async function writeAnnouncement(
  tx: StoreTransaction,
  connectionId: string,
  now: number,
): Promise<Announced | undefined> {
  const row = await lockedRow(tx, connectionId);
  if (row === undefined) return undefined;
  // Nothing has begun later than now, unless a clock was set back.
  const startedAt = Math.min(row.started_at ?? 0, now);
  const due_at = Math.min(row.due_at, Math.max(now, startedAt + BETWEEN_MS));
  // One that nobody has begun to read covers this one too.
  const isCovered = row.wanted > row.started;
  const wanted = isCovered ? row.wanted : row.wanted + 1;
  await tx
    .db<ConnectionTables>()
    .updateTable('connection_refreshes')
    .set({ due_at, wanted })
    .where('connection_id', '=', connectionId)
    .execute();
  if (!isCovered) await tx.signal(REFRESH_ANNOUNCED, `${wanted} ${connectionId}`);
  return { number: wanted, dueAt: due_at };
}

function lockedRow(tx: StoreTransaction, id: string): Promise<ConnectionRefreshRow | undefined> {
  const query = tx
    .db<ConnectionTables>()
    .selectFrom('connection_refreshes')
    .selectAll()
    .where('connection_id', '=', id);
  return tx.locked(query).executeTakeFirst();
}
