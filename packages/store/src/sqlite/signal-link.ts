/** Signals between processes on SQLite: a small table, read only when another process has changed the file. */
import type Database from 'better-sqlite3';
import { CompiledQuery } from 'kysely';
import type { Kysely } from 'kysely';
import type { AnyTables, EngineOptions } from '../engine.ts';
import type { SignalEvent, SignalLink } from '../signals/change-signal.ts';
import { LONGEST_PAUSE_MS } from '../signals/change-signal.ts';
import type { StatementCache } from './connections.ts';
import { isMissingTable } from './errors.ts';

const POLL_EVERY_MS = 50;
const READ_AT_ONCE = 500;
const KEPT_SIGNALS = 4_096;
const PRUNE_EVERY = 512;

const INSERT_SQL = 'insert into parley_signals (topic, payload, at, origin) values (?, ?, ?, ?)';
const READ_SQL = `select seq, topic, payload, origin from parley_signals where seq > ? order by seq limit ${READ_AT_ONCE}`;
const LAST_SQL = 'select coalesce(max(seq), 0) as seq from parley_signals';

interface SignalRow extends SignalEvent {
  readonly seq: number;
  readonly origin: string;
}

/** The parts that the link reads with. */
export interface SignalLinkParts {
  readonly writer: StatementCache;
  readonly reader: () => StatementCache;
  readonly options: Pick<EngineOptions, 'origin' | 'onError'>;
  readonly now: () => number;
}

/** The link of one SQLite file. */
export class SqliteSignalLink implements SignalLink {
  readonly #parts: SignalLinkParts;
  readonly #dataVersion: Database.Statement<[], number>;
  #timer: NodeJS.Timeout | undefined;
  #seenVersion = 0;
  #seenSeq = 0;
  #hasForeignRows = false;
  #isBroken = false;
  #polledMs = 0;
  #losses = 0;

  constructor(parts: SignalLinkParts) {
    this.#parts = parts;
    this.#dataVersion = parts.writer.database.prepare<[], number>('PRAGMA data_version').pluck();
  }

  async write(trx: Kysely<AnyTables>, { topic, payload }: SignalEvent): Promise<number> {
    const { now, options } = this.#parts;
    const { insertId } = await trx.executeQuery(
      CompiledQuery.raw(INSERT_SQL, [topic, payload, now(), options.origin]),
    );
    const seq = Number(insertId);
    if (seq % PRUNE_EVERY === 0) {
      await trx.executeQuery(
        CompiledQuery.raw('delete from parley_signals where seq <= ?', [seq - KEPT_SIGNALS]),
      );
    }
    return seq;
  }

  committed(_events: readonly SignalEvent[], tokens: readonly number[]): void {
    for (const seq of tokens) {
      // Rows between the last seen one and ours came from another process and are still to be read.
      if (seq === this.#seenSeq + 1) this.#seenSeq = seq;
      else if (seq > this.#seenSeq) this.#hasForeignRows = true;
    }
  }

  open(deliver: (event: SignalEvent) => void): void {
    this.#seenVersion = this.#version();
    this.#seenSeq = this.#lastSeq();
    this.#polledMs = performance.now();
    this.#timer = setInterval(() => this.#poll(deliver), POLL_EVERY_MS).unref();
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  get losses(): number {
    return this.#losses;
  }

  isBroken(): boolean {
    if (this.#isBroken || this.#timer === undefined) return this.#isBroken;
    // After a pause of the whole process, requests may come before the next poll.
    return performance.now() - this.#polledMs > LONGEST_PAUSE_MS;
  }

  #poll(deliver: (event: SignalEvent) => void): void {
    try {
      const version = this.#version();
      if (version !== this.#seenVersion || this.#hasForeignRows) {
        this.#hasForeignRows = false;
        this.#readNew(deliver);
        this.#seenVersion = version;
      }
      this.#isBroken = false;
      this.#polledMs = performance.now();
    } catch (error) {
      // Nobody has written anything before the table is there.
      this.#polledMs = performance.now();
      if (isMissingTable(error)) return;
      if (!this.#isBroken) this.#losses += 1;
      this.#isBroken = true;
      this.#parts.options.onError(error);
    }
  }

  #readNew(deliver: (event: SignalEvent) => void): void {
    const read = this.#parts.reader().prepare<SignalRow>(READ_SQL);
    for (let isMore = true; isMore;) {
      const rows = read.all(this.#seenSeq);
      const [first] = rows;
      if (first && first.seq !== this.#seenSeq + 1) deliver({ topic: '*', payload: null });
      for (const { seq, topic, payload, origin } of rows) {
        this.#seenSeq = seq;
        if (origin !== this.#parts.options.origin) deliver({ topic, payload });
      }
      isMore = rows.length === READ_AT_ONCE;
    }
  }

  #version(): number {
    return this.#dataVersion.get() ?? 0;
  }

  #lastSeq(): number {
    try {
      return this.#parts.reader().prepare<{ seq: number }>(LAST_SQL).get()?.seq ?? 0;
    } catch (error) {
      if (isMissingTable(error)) return 0;
      throw error;
    }
  }
}
