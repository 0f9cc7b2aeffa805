/** The call-record log: a bounded ring in memory, written in batches off the request path. */
import { detach } from '../detach.ts';
import { StoreUnavailableError } from '../errors.ts';
import type {
  CallDetail,
  DetailedCallRecord,
  NewCallRecord,
  PendingDetail,
  RecordFilter,
  RecordQuery,
  RecordRow,
  RecordTable,
  StoredCallRecord,
} from './record-table.ts';
import { ROLLUPS } from './record-table.ts';
import type { CallPoint, CallSeriesQuery, CallStats, CallStatsQuery, ToolStats } from './rollups.ts';
import { callSeries, callStats, toolStats } from './rollups.ts';

/** How long call records are kept; whichever limit is met first. */
export interface RecordRetention {
  readonly maxAgeMs: number;
  readonly maxRows: number;
  /** On the disk, as near as the engine can tell; 5 GiB by default. */
  readonly maxBytes?: number;
}

/** The log of calls. It may lose the last batch on a crash; it never holds up a call. */
export interface RecordLog {
  /** Records that were lost because the ring was full or a row could not be stored. */
  readonly dropped: number;
  /** Records whose input and output were lost: too much waited, or they could not be made fit to be kept. */
  readonly droppedDetails: number;
  /** Records that wait in memory. */
  readonly pending: number;
  /** Those of them whose input and output wait with them. */
  readonly pendingDetails: number;
  /** Takes a record, and how its detail is made later; constant time, never throws. */
  append(record: NewCallRecord, detail?: PendingDetail): void;
  /** Resolves when every record appended before the call is stored, or counted as dropped. */
  flush(): Promise<void>;
  /** Stored records, newest first; `before` with the last id gives the next page. */
  list(query: RecordQuery): Promise<StoredCallRecord[]>;
  /** The same with what went in and came out. */
  listDetailed(query: RecordQuery): Promise<DetailedCallRecord[]>;
  /** How many records are stored, all of them or those that are meant. */
  count(filter?: RecordFilter): Promise<number>;
  /** Figures over any number of records, from rollups. */
  stats(query: CallStatsQuery): Promise<CallStats>;
  /** The same part by part; parts without a call are left out. */
  series(query: CallSeriesQuery): Promise<CallPoint[]>;
  /** The same tool by tool, the most called first. */
  toolStats(query: { organizationId: string; since: number; until: number }): Promise<ToolStats[]>;
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
/** Details are made for so long before others get their turn. */
const SLICE_MS = 3;
/** Most servers never hold more; the full capacity would be a megabyte and a half of nothing. */
const FIRST_PLACES = 1024;
const MOST_DETAILS = 10_000;
const MOST_DETAIL_BYTES = 64 * 1024 ** 2;
const defaultRetention: RecordRetention = { maxAgeMs: 30 * 24 * 3_600_000, maxRows: 10_000_000 };
const DEFAULT_MAX_BYTES = 5 * 1024 ** 3;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The log over the record table of an engine. */
export class BufferedRecordLog implements RecordLog {
  readonly #options: RecordLogOptions;
  readonly #capacity: number;
  #slots: Array<NewCallRecord | undefined>;
  /** Beside the slots: the detail as it waits, and as it was made. */
  #pendingDetails: Array<PendingDetail | undefined>;
  #details: Array<CallDetail | undefined>;
  #mask: number;
  /** Places count up for ever; a slot is a place within the mask. */
  #head = 0;
  #size = 0;
  #dropped = 0;
  #droppedDetails = 0;
  /** The details that wait: how many, how large, and the place before which none is left. */
  #waiting = 0;
  #waitingBytes = 0;
  #detailsFrom = 0;
  #timer: NodeJS.Timeout | undefined;
  #background: Promise<void> | undefined;
  #writing: Promise<boolean> | undefined;
  #pruning: Promise<number> | undefined;
  #retryMs = FLUSH_EVERY_MS;
  #prunedAt = 0;
  #isClosed = false;

  constructor(options: RecordLogOptions) {
    this.#options = options;
    this.#capacity = options.capacity ?? 65_536;
    const places = Math.min(this.#capacity, FIRST_PLACES);
    this.#mask = places - 1;
    this.#slots = emptyOf(places);
    this.#pendingDetails = emptyOf(places);
    this.#details = emptyOf(places);
  }

  get dropped(): number {
    return this.#dropped;
  }

  get droppedDetails(): number {
    return this.#droppedDetails;
  }

  get pending(): number {
    return this.#size;
  }

  get pendingDetails(): number {
    return this.#waiting;
  }

  append(record: NewCallRecord, detail?: PendingDetail): void {
    if (this.#size > this.#mask) this.#grow();
    if (this.#size > this.#mask || this.#isClosed) {
      this.#dropped += 1;
      return;
    }
    const place = this.#head + this.#size;
    this.#slots[place & this.#mask] = record;
    this.#size += 1;
    if (detail !== undefined) this.#hold(place, detail);
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

  listDetailed(query: RecordQuery): Promise<DetailedCallRecord[]> {
    return this.#options.table.listDetailed(query);
  }

  count(filter?: RecordFilter): Promise<number> {
    return this.#options.table.count(filter);
  }

  stats(query: CallStatsQuery): Promise<CallStats> {
    const { table, clock } = this.#options;
    return callStats(table, query, clock());
  }

  series(query: CallSeriesQuery): Promise<CallPoint[]> {
    const { table, clock } = this.#options;
    return callSeries(table, query, clock());
  }

  toolStats(query: { organizationId: string; since: number; until: number }): Promise<ToolStats[]> {
    const { table, clock } = this.#options;
    return toolStats(table, query, clock());
  }

  prune(): Promise<number> {
    // One that is under way may have begun with an earlier time; what it deletes counts, and its fault was told already.
    const before = this.#pruning?.catch(() => 0) ?? Promise.resolve(0);
    const pruning = before
      .then(async (gone) => gone + (await this.#pruneAll()))
      .finally(() => {
        if (this.#pruning === pruning) this.#pruning = undefined;
      });
    this.#pruning = pruning;
    return pruning;
  }

  async forget(organizationId: string): Promise<number> {
    await this.flush();
    return this.#options.table.forget(organizationId);
  }

  async #pruneAll(): Promise<number> {
    const { retention = defaultRetention, table, clock } = this.#options;
    const { maxAgeMs, maxRows, maxBytes = DEFAULT_MAX_BYTES } = retention;
    for (const { stepMs, keptMs } of ROLLUPS) await table.pruneRollups(stepMs, clock() - keptMs);
    for (let total = 0; ;) {
      const { rows, bytes } = await table.size();
      const fitting = bytes > maxBytes ? Math.floor((rows * maxBytes) / bytes) : maxRows;
      const deleted = await table.prune({
        olderThan: clock() - maxAgeMs,
        maxRows: Math.min(maxRows, fitting),
        isOver: () => this.#isClosed,
      });
      total += deleted;
      // The rows that are left may be larger than those that went, so their size is looked at again.
      if (deleted === 0 || bytes <= maxBytes || this.#isClosed) return total;
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#background;
    // Its fault was told where it began.
    await this.#pruning?.catch(() => undefined);
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
      const isRefused = await this.#write();
      this.#retryMs = isRefused ? this.#longerRetryMs() : FLUSH_EVERY_MS;
      if (!isRefused) await this.#pruneNowAndThen();
    } catch (error) {
      this.#retryMs = this.#longerRetryMs();
      this.#options.onError(error);
    }
    this.#timer = undefined;
    if (this.#size > 0 && !this.#isClosed) this.#schedule(this.#retryMs);
  }

  #longerRetryMs(): number {
    return Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  /** True when the database has refused some of the rows. */
  #write(): Promise<boolean> {
    this.#writing ??= this.#drain(this.#size).finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #drain(total: number): Promise<boolean> {
    let isRefused = false;
    for (let left = total; left > 0;) {
      const count = Math.min(left, this.#options.table.chunkRows);
      await this.#makeDetails(count);
      try {
        const refused = await this.#options.table.write(this.#peek(count));
        this.#dropped += refused;
      } catch (error) {
        if (isAway(error)) throw error;
        this.#dropped += count;
        // Once for all of them: each chunk is refused for the same reason.
        if (!isRefused) this.#options.onError(error);
        isRefused = true;
      }
      this.#advance(count);
      left -= count;
      if (left > 0) await nextTurn();
    }
    return isRefused;
  }

  /** Twice the places, up to the capacity; what waits keeps its place. */
  #grow(): void {
    const places = Math.min((this.#mask + 1) * 2, this.#capacity);
    if (places === this.#mask + 1) return;
    this.#slots = this.#moved(this.#slots, places);
    this.#pendingDetails = this.#moved(this.#pendingDetails, places);
    this.#details = this.#moved(this.#details, places);
    this.#mask = places - 1;
  }

  #moved<T>(from: Array<T | undefined>, places: number): Array<T | undefined> {
    const to = emptyOf<T>(places);
    for (let place = this.#head; place < this.#head + this.#size; place += 1)
      to[place & (places - 1)] = from[place & this.#mask];
    return to;
  }

  /** Holds on to what a detail is made from, within bounds: the oldest give way. */
  #hold(place: number, detail: PendingDetail): void {
    this.#pendingDetails[place & this.#mask] = detail;
    this.#waiting += 1;
    this.#waitingBytes += detail.weightBytes;
    while (this.#waiting > MOST_DETAILS || this.#waitingBytes > MOST_DETAIL_BYTES) this.#dropOldestDetail();
  }

  #dropOldestDetail(): void {
    const end = this.#head + this.#size;
    for (let place = Math.max(this.#detailsFrom, this.#head); place < end; place += 1) {
      if (this.#letGo(place) === undefined) continue;
      this.#droppedDetails += 1;
      this.#detailsFrom = place + 1;
      return;
    }
  }

  #letGo(place: number): PendingDetail | undefined {
    const detail = this.#pendingDetails[place & this.#mask];
    if (detail === undefined) return undefined;
    this.#pendingDetails[place & this.#mask] = undefined;
    this.#waiting -= 1;
    this.#waitingBytes -= detail.weightBytes;
    return detail;
  }

  async #makeDetails(count: number): Promise<void> {
    let sliceEnd = performance.now() + SLICE_MS;
    for (let place = this.#head; place < this.#head + count; place += 1) {
      const detail = this.#letGo(place);
      if (detail === undefined) continue;
      try {
        this.#details[place & this.#mask] = detail.make();
      } catch {
        // What cannot be made fit is not kept, and its fault could quote it.
        this.#droppedDetails += 1;
      }
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }

  #peek(count: number): RecordRow[] {
    const rows: RecordRow[] = [];
    for (let place = this.#head; place < this.#head + count; place += 1) {
      const record = this.#slots[place & this.#mask];
      if (record) rows.push({ record, detail: this.#details[place & this.#mask] });
    }
    return rows;
  }

  #advance(count: number): void {
    for (let place = this.#head; place < this.#head + count; place += 1) {
      this.#slots[place & this.#mask] = undefined;
      this.#details[place & this.#mask] = undefined;
    }
    this.#head += count;
    this.#size -= count;
  }

  async #pruneNowAndThen(): Promise<void> {
    const now = performance.now();
    const isSoon = this.#prunedAt > 0 && now - this.#prunedAt < PRUNE_EVERY_MS;
    if (isSoon || this.#pruning !== undefined) return;
    this.#prunedAt = now;
    const pruned = this.prune();
    if (this.#options.table.prunesBeside) detach(pruned, this.#options.onError);
    else await pruned;
  }
}

/** Rows wait for a database that is away; what it refuses, or a database without writes, would block the log for ever. */
function isAway(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.reason !== 'readonly';
}

function emptyOf<T>(capacity: number): Array<T | undefined> {
  const slots: Array<T | undefined> = [];
  slots.length = capacity;
  return slots;
}
