/** Making tasks: committed before anyone hears of them, many at once, and started at once where there is room. */
import type { SignalEvent, Store, StoreTransaction, Written } from '@parley/store';
import { Batches, planLast, StoreUnavailableError } from '@parley/store';
import { sql } from 'kysely';
import type { TaskLimits } from '../limits.ts';
import type { PoolName, TaskRow, TaskTables } from '../schema.ts';
import type { NewTask } from '../task.ts';
import type { TaskChanges } from './changes.ts';
import { claimLast } from './claim.ts';
import { IS_READY, READY } from './changes.ts';
import type { Begin, Inserted } from './insert.ts';
import { insertion, rowsOf } from './insert.ts';
import { newRow } from './new-row.ts';
import { WaitingOwners } from './owners.ts';
import type { Pool } from './pools.ts';
import { organizationsOf, takeTurns } from './running.ts';
import { findSame, sameKey } from './same-task.ts';
import { WaitingLimit } from './waiting.ts';
import type { Worker } from './worker.ts';

export interface CreateOptions {
  readonly store: Store;
  readonly worker: Worker;
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: () => number;
}

/** Makes tasks on a store. */
export class Creator {
  readonly #options: CreateOptions;
  readonly #waiting: WaitingLimit;
  readonly #lined = new WaitingOwners();
  /** A pool each, since each has places of its own. */
  readonly #batches: Readonly<Record<PoolName, Batches<TaskRow, TaskRow>>>;

  constructor(options: CreateOptions) {
    this.#options = options;
    this.#waiting = new WaitingLimit(options.limits.waitingPerOwner);
    // What is written together is the time of nobody alone: whoever waits for it counts the wait.
    const write = (rows: readonly TaskRow[]) =>
      options.store.spending.within(undefined, () =>
        options.worker.claims.during(() => this.#writeKnown(rows)),
      );
    const batches = () => new Batches(write);
    this.#batches = { caller: batches(), system: batches() };
  }

  /** Creates the task, or finds the one that was made with the same idempotency key. */
  async create(input: NewTask): Promise<TaskRow> {
    const row = this.#newRow(input);
    return this.#options.store.spending.wait('database', 'commit', this.#batches[row.pool].add(row));
  }

  /**
   * Creates the task with a transaction of the caller, to run after its commit. Of a task that has the same idempotency
   * key there stays one; if it has not begun and waits for a later time, it is brought forward.
   */
  async createIn(tx: StoreTransaction, input: NewTask): Promise<TaskRow> {
    const { changes, now } = this.#options;
    const row = this.#newRow(input);
    const same = (await findSame(tx, [row], now())).get(sameKey(row));
    if (same !== undefined) return bringForward(tx, same, row.due_at);
    const [refused] = await this.#waiting.admit(tx, [row], now());
    if (refused !== undefined) throw refused;
    const { rows: made } = await insertion(tx, [row], undefined).execute(tx.db());
    // Another transaction made the same task between our look and our write.
    if (made.length === 0) return this.createIn(tx, input);
    await tx.signal(READY);
    await changes.happened(tx, [{ task: row, what: 'created' }]);
    return row;
  }

  /** Resolves when what is being made now is made. */
  async made(): Promise<void> {
    await Promise.all(Object.values(this.#batches).map((batches) => batches.written()));
  }

  #newRow(input: NewTask): TaskRow {
    const { worker, limits, now } = this.#options;
    return newRow(input, { kind: worker.kindOf(input.kind), limits, now: now() });
  }

  /** Writes a batch. When the connection broke, what is there all the same was made: its maker must not make it again. */
  async #writeKnown(rows: readonly TaskRow[]): Promise<readonly Written<TaskRow>[]> {
    const { worker } = this.#options;
    const pool = rows.map(({ kind }) => worker.poolOf(kind)).find((found) => found !== undefined);
    const room = this.#take(pool, rows.filter((row) => !this.#lined.has(row)).length);
    let began = 0;
    const onClaimed = (claimed: readonly TaskRow[]) => {
      began += claimed.length;
      if (pool !== undefined) worker.claimer.adoptAll(pool, claimed);
    };
    try {
      const written = await this.#write(rows, { ...room, onClaimed }).catch((error: unknown) =>
        this.#madeAnyway(rows, error),
      );
      const made = written.flatMap((one) => ('value' in one && one.isNew ? [one.value] : []));
      const lined = made.filter(({ state }) => state === 'ready');
      const mine = made.filter(({ worker_id: id }) => id === worker.id);
      began += mine.length;
      for (const row of mine) worker.adopt(row);
      // Where there was room, it is their owners or organizations that have none.
      if (mine.length < room.toBegin) for (const row of lined) this.#lined.add(row);
      else if (pool !== undefined) worker.claimer.lined(pool, lined);
      return written;
    } finally {
      if (pool !== undefined) worker.places.giveBack(pool.name, room.toClaim + room.toBegin - began);
    }
  }

  /** Places of the process: those who stand in line come first, and where they need all, new ones wait for their look. */
  #take(pool: Pool | undefined, wanted: number): Room {
    const { worker } = this.#options;
    if (pool === undefined || wanted === 0) return { toClaim: 0, toBegin: 0 };
    const inLine = worker.claimer.lineOf(pool).count;
    const taken = worker.places.take(pool, inLine + wanted);
    if (taken > inLine) return { toClaim: inLine, toBegin: taken - inLine };
    worker.places.giveBack(pool.name, taken);
    return { toClaim: 0, toBegin: 0 };
  }

  async #madeAnyway(rows: readonly TaskRow[], error: unknown): Promise<readonly Made[]> {
    if (!(error instanceof StoreUnavailableError)) throw error;
    const { store, worker } = this.#options;
    // Of the line, it may have taken others too.
    worker.claims.doubt(error);
    const ids = rows.map(({ id }) => id);
    const query = store.db<TaskTables>().selectFrom('tasks').selectAll().where('id', 'in', ids);
    const found = await query.execute().catch(() => []);
    if (found.length > 0) await store.flush();
    const byId = new Map(found.map((row) => [row.id, row]));
    if (byId.size === 0) throw error;
    return rows.map(({ id }) => {
      const value = byId.get(id);
      return value === undefined ? { error } : { value, isNew: true };
    });
  }

  async #write(rows: readonly TaskRow[], room: Room & Pick<Writing, 'onClaimed'>): Promise<readonly Made[]> {
    const { store, now } = this.#options;
    const begin = this.#begin(rows, room.toBegin);
    let inserted: readonly Inserted[] = [];
    const onInserted = (found: readonly Inserted[]) => {
      inserted = found;
      return found.some(({ state }) => state === 'ready') ? [IS_READY] : undefined;
    };
    // Outside of the transaction: who holds a row that another maker of the same task waits for must not wait for a turn.
    const same = await findSame(store, rows, now());
    const firsts = firstOfEach(rows.filter((row) => !same.has(sameKey(row))));
    const refused = await this.#waiting.admit(store, firsts, now());
    const wanted = firsts.filter((_row, index) => refused[index] === undefined);
    let claimed: readonly TaskRow[] = [];
    const onClaimed = (found: readonly TaskRow[]) => (claimed = found);
    if (wanted.length > 0)
      await store.transaction((tx) => this.#insert(tx, wanted, { ...room, begin, onInserted, onClaimed }));
    // Not before the commit, which may fail.
    room.onClaimed(claimed);
    const made = rowsOf(wanted, inserted, begin);
    // Another process made the same task between our look and our write.
    const others = wanted.filter(({ id }) => !made.has(id));
    // What was made is made, whatever becomes of the look for those of others.
    let unsure: { readonly error: unknown } | undefined;
    try {
      for (const [key, row] of await findSame(store, others, now())) same.set(key, row);
      // Its maker may not have it on disk yet.
      if (same.size > 0) await store.flush();
    } catch (error) {
      unsure = { error };
    }
    const newByKey = new Map([...made.values()].map((row) => [sameKey(row), row]));
    const refusedByKey = new Map(firsts.map((row, index) => [sameKey(row), refused[index]]));
    return rows.map((row): Made => {
      const key = sameKey(row);
      const value = newByKey.get(key);
      if (value !== undefined) return { value, isNew: value.id === row.id };
      const refusal = refusedByKey.get(key);
      if (refusal !== undefined) return { error: refusal };
      if (unsure !== undefined) return unsure;
      const known = same.get(key);
      return known === undefined
        ? { error: new StoreUnavailableError('busy') }
        : { value: known, isNew: false };
    });
  }

  /** With the commit: whoever begins tasks of the same organizations waits until then. */
  async #insert(
    tx: StoreTransaction,
    rows: readonly TaskRow[],
    { begin, toClaim, onInserted, onClaimed }: Writing,
  ): Promise<void> {
    const { claimer } = this.#options.worker;
    const able = begin === undefined || begin.room === 0 ? [] : rows.filter((row) => begin.isAble(row));
    if (begin !== undefined && able.length > 0) {
      const { pool } = begin;
      const inLine = toClaim > 0 ? claimer.lineOf(pool).organizations : [];
      const organizations = [...new Set([...organizationsOf(able), ...inLine])];
      takeTurns(tx, pool.name, organizations);
      if (toClaim > 0) claimLast(tx, claimer.request(pool, toClaim, organizations), onClaimed);
    }
    planLast(tx, 'many', () => tx.last(insertion(tx, rows, begin), onInserted));
    await this.#options.changes.happened(
      tx,
      rows.map((task) => ({ task, what: 'created' })),
      (taskId) => sql<boolean>`exists (select 1 from tasks where tasks.id = ${taskId})`,
    );
  }

  /** New tasks run where they were made, without going through the line, as long as nobody is overtaken. */
  #begin(rows: readonly TaskRow[], room: number): Begin | undefined {
    const { worker, limits } = this.#options;
    const now = this.#options.now();
    const isAble = (row: TaskRow) => worker.poolOf(row.kind) !== undefined && row.due_at <= now;
    const pool = rows.map(({ kind }) => worker.poolOf(kind)).find((found) => found !== undefined);
    if (pool === undefined || !worker.isOpen) return undefined;
    const served = worker.claimer.servedIn(pool);
    return { pool, room, served, now, workerId: worker.id, leaseUntil: now + limits.leaseMs, isAble };
  }
}

/** How many places were taken, for whom. */
interface Room {
  readonly toClaim: number;
  readonly toBegin: number;
}

interface Writing extends Room {
  readonly begin: Begin | undefined;
  readonly onInserted: (found: readonly Inserted[]) => readonly SignalEvent[] | undefined;
  readonly onClaimed: (rows: readonly TaskRow[]) => void;
}

type Made = { readonly value: TaskRow; readonly isNew: boolean } | { readonly error: unknown };

/** Of those with the same idempotency key the first. */
function firstOfEach(rows: readonly TaskRow[]): TaskRow[] {
  const firsts = new Map<string, TaskRow>();
  for (const row of rows) if (!firsts.has(sameKey(row))) firsts.set(sameKey(row), row);
  return [...firsts.values()];
}

async function bringForward(tx: StoreTransaction, same: TaskRow, dueAt: number): Promise<TaskRow> {
  const moved = await tx
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ due_at: dueAt })
    .where('id', '=', same.id)
    .where('state', '=', 'ready')
    .where('fence', '=', 0)
    .where('due_at', '>', dueAt)
    .returning('id')
    .executeTakeFirst();
  if (moved === undefined) return same;
  await tx.signal(READY);
  return { ...same, due_at: dueAt };
}
