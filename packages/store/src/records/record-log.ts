/** The call-record log: a bounded ring in memory, written in batches off the request path. */
import { StoreUnavailableError } from '../errors.ts';
import type { NewCallRecord, RecordQuery, RecordTable, StoredCallRecord } from './record-table.ts';

/** How long call records are kept; whichever limit is met first. */
export interface RecordRetention {
  readonly maxAgeMs: number;
  readonly maxRows: number;
  /** On the disk, as near as the engine can tell; 1 GiB by default. */
  readonly maxBytes?: number;
}

/** The log of calls. It may lose the last batch on a crash; it never holds up a call. */
export interface RecordLog {
  /** Records that were lost because the ring was full or a row could not be stored. */
  readonly dropped: number;
  /** Records that wait in memory. */
  readonly pending: number;
  /** Takes a record; constant time, never throws. */
  append(record: NewCallRecord): void;
  /** Resolves when every record appended before the call is stored. */
  flush(): Promise<void>;
  /** Stored records, newest first; `before` with the last id gives the next page. */
  list(query: RecordQuery): Promise<StoredCallRecord[]>;
  /** How many records are stored. */
  count(): Promise<number>;
  /** Applies the retention now and returns how many records it deleted. */
  prune(): Promise<number>;
  /** Deletes the records of an organization, those that wait in memory too. */
  forget(organizationId: string): Promise<number>;
  /** Stores what waits and stops. */
  close(): Promise<void>;
}

export interface RecordLogOptions {
  readonly table: RecordTable;
  readonly retention?: RecordRetention | undefined;
  readonly clock: () => number;
  readonly onError: (error: unknown) => void;
  /** Records that fit in memory; a power of two. */
  readonly capacity?: number;
}

const FLUSH_EVERY_MS = 100;
const LONGEST_RETRY_MS = 2_000;
const PRUNE_EVERY_MS = 10_000;
const defaultRetention: RecordRetention = { maxAgeMs: 30 * 24 * 3_600_000, maxRows: 1_000_000 };
const DEFAULT_MAX_BYTES = 1024 ** 3;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The log over the record table of an engine. */
export class BufferedRecordLog implements RecordLog {
  readonly #options: RecordLogOptions;
  readonly #slots: Array<NewCallRecord | undefined>;
  readonly #mask: number;
  #head = 0;
  #size = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #background: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #pruning: Promise<number> | undefined;
  #retryMs = FLUSH_EVERY_MS;
  #prunedAt = 0;
  #isClosed = false;

  constructor(options: RecordLogOptions) {
    const capacity = options.capacity ?? 65_536;
    this.#options = options;
    this.#mask = capacity - 1;
    // Left empty: filling it would cost a start more than opening the database.
    this.#slots = [];
    this.#slots.length = capacity;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get pending(): number {
    return this.#size;
  }

  append(record: NewCallRecord): void {
    if (this.#size > this.#mask || this.#isClosed) {
      this.#dropped += 1;
      return;
    }
    this.#slots[(this.#head + this.#size) & this.#mask] = record;
    this.#size += 1;
    if (this.#timer === undefined) this.#schedule(this.#retryMs);
  }

  async flush(): Promise<void> {
    // The write under way reports its own fault, and what it did not write is written now.
    await this.#writing?.catch(() => undefined);
    await this.#write();
  }

  list(query: RecordQuery): Promise<StoredCallRecord[]> {
    return this.#options.table.list(query);
  }

  count(): Promise<number> {
    return this.#options.table.count();
  }

  prune(): Promise<number> {
    // A call while one is under way gets its count.
    this.#pruning ??= this.#pruneAll().finally(() => {
      this.#pruning = undefined;
    });
    return this.#pruning;
  }

  async forget(organizationId: string): Promise<number> {
    await this.flush();
    return this.#options.table.forget(organizationId);
  }

  async #pruneAll(): Promise<number> {
    const { retention = defaultRetention, table, clock } = this.#options;
    const { maxAgeMs, maxRows, maxBytes = DEFAULT_MAX_BYTES } = retention;
    for (let total = 0; ;) {
      const { rows, bytes } = await table.size();
      const fitting = bytes > maxBytes ? Math.floor((rows * maxBytes) / bytes) : maxRows;
      const deleted = await table.prune(clock() - maxAgeMs, Math.min(maxRows, fitting));
      total += deleted;
      // The rows that are left may be larger than those that went, so their size is looked at again.
      if (deleted === 0 || bytes <= maxBytes) return total;
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#background;
    await this.flush().catch(this.#options.onError);
    await this.#options.table.close();
  }

  #schedule(afterMs: number): void {
    this.#timer = setTimeout(() => {
      this.#background = this.#onTimer();
    }, afterMs).unref();
  }

  async #onTimer(): Promise<void> {
    try {
      await this.#write();
      this.#retryMs = FLUSH_EVERY_MS;
      await this.#pruneNowAndThen();
    } catch (error) {
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
      this.#options.onError(error);
    }
    this.#timer = undefined;
    if (this.#size > 0 && !this.#isClosed) this.#schedule(this.#retryMs);
  }

  #write(): Promise<void> {
    this.#writing ??= this.#drain(this.#size).finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #drain(total: number): Promise<void> {
    for (let left = total; left > 0;) {
      const count = Math.min(left, this.#options.table.chunkRows);
      this.#dropped += await this.#store(this.#peek(count));
      this.#advance(count);
      left -= count;
      if (left > 0) await nextTurn();
    }
  }

  // Rows wait for a database that is away; what it refuses for good would block the log for ever.
  async #store(rows: NewCallRecord[]): Promise<number> {
    try {
      return await this.#options.table.write(rows);
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      this.#options.onError(error);
      return rows.length;
    }
  }

  #peek(count: number): NewCallRecord[] {
    const rows: NewCallRecord[] = [];
    for (let offset = 0; offset < count; offset += 1) {
      const row = this.#slots[(this.#head + offset) & this.#mask];
      if (row) rows.push(row);
    }
    return rows;
  }

  #advance(count: number): void {
    for (let offset = 0; offset < count; offset += 1)
      this.#slots[(this.#head + offset) & this.#mask] = undefined;
    this.#head = (this.#head + count) & this.#mask;
    this.#size -= count;
  }

  async #pruneNowAndThen(): Promise<void> {
    const now = performance.now();
    if (this.#prunedAt > 0 && now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    await this.prune();
  }
}
