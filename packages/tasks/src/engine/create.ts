/** Making tasks: committed before anyone hears of them, many at once, and started at once where there is room. */
import type { Store, StoreTransaction } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { PoolName, TaskRow, TaskTables } from '../schema.ts';
import type { NewTask } from '../task.ts';
import type { Written } from './batches.ts';
import { Batches } from './batches.ts';
import type { TaskChanges } from './changes.ts';
import { READY } from './changes.ts';
import type { Begin } from './insert.ts';
import { insertTasks } from './insert.ts';
import { newRow } from './new-row.ts';
import { KnownOwners, WaitingOwners } from './owner-places.ts';
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
  readonly #owners = new KnownOwners();
  readonly #lined = new WaitingOwners();
  /** A pool each: what is told of the tasks of callers is never written beside the places of the system's work. */
  readonly #batches: Readonly<Record<PoolName, Batches<TaskRow, TaskRow>>>;

  constructor(options: CreateOptions) {
    this.#options = options;
    this.#waiting = new WaitingLimit(options.limits.waitingPerOwner);
    // What is written together is the time of nobody alone: whoever waits for it counts the wait.
    const write = (rows: readonly TaskRow[]) =>
      options.store.spending.within(undefined, () => this.#writeKnown(rows));
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
    const made = await insertTasks(tx, [row], undefined);
    // Another transaction made the same task between our look and our write.
    if (made.size === 0) return this.createIn(tx, input);
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
    const taken = worker.places.take(pool, rows.filter((row) => !this.#lined.has(row)).length);
    let began = 0;
    try {
      const written = await this.#write(rows, taken).catch((error: unknown) => this.#madeAnyway(rows, error));
      for (const outcome of written) {
        if ('value' in outcome && outcome.value.state === 'ready') this.#lined.add(outcome.value);
        if (!('value' in outcome) || !outcome.isNew || outcome.value.worker_id !== worker.id) continue;
        began += 1;
        worker.adopt(outcome.value);
      }
      return written;
    } finally {
      if (pool !== undefined) worker.places.giveBack(pool.name, taken - began);
    }
  }

  async #madeAnyway(rows: readonly TaskRow[], error: unknown): Promise<readonly Made[]> {
    if (!(error instanceof StoreUnavailableError)) throw error;
    const ids = rows.map(({ id }) => id);
    const query = this.#options.store.db<TaskTables>().selectFrom('tasks').selectAll().where('id', 'in', ids);
    const found = await query.execute().catch(() => []);
    const byId = new Map(found.map((row) => [row.id, row]));
    if (byId.size === 0) throw error;
    return rows.map(({ id }) => {
      const value = byId.get(id);
      return value === undefined ? { error } : { value, isNew: true };
    });
  }

  #write(rows: readonly TaskRow[], room: number): Promise<readonly Made[]> {
    const { store, changes, now } = this.#options;
    return store.transaction(async (tx) => {
      const same = await findSame(tx, rows, now());
      const firsts = firstOfEach(rows.filter((row) => !same.has(sameKey(row))));
      const refused = await this.#waiting.admit(tx, firsts, now());
      const wanted = firsts.filter((_row, index) => refused[index] === undefined);
      const made = await insertTasks(tx, wanted, await this.#begin(tx, wanted, room));
      // Another process made the same task between our look and our write.
      const others = wanted.filter(({ id }) => !made.has(id));
      for (const [key, row] of await findSame(tx, others, now())) same.set(key, row);
      const news = [...made.values()];
      if (news.some(({ state }) => state === 'ready')) await tx.signal(READY);
      await changes.happened(
        tx,
        news.map((task) => ({ task, what: 'created' })),
      );
      const newByKey = new Map(news.map((row) => [sameKey(row), row]));
      const refusedByKey = new Map(firsts.map((row, index) => [sameKey(row), refused[index]]));
      return rows.map((row): Made => {
        const known = same.get(sameKey(row));
        if (known !== undefined) return { value: known, isNew: false };
        const value = newByKey.get(sameKey(row));
        if (value !== undefined) return { value, isNew: value.id === row.id };
        return { error: refusedByKey.get(sameKey(row)) ?? new StoreUnavailableError('busy') };
      });
    });
  }

  /** New tasks run where they were made, without going through the line, as long as nobody is overtaken. */
  async #begin(tx: StoreTransaction, rows: readonly TaskRow[], room: number): Promise<Begin | undefined> {
    const { worker, limits } = this.#options;
    const now = this.#options.now();
    const isAble = (row: TaskRow) => worker.poolOf(row.kind) !== undefined && row.due_at <= now;
    const pool = rows.map(({ kind }) => worker.poolOf(kind)).find((found) => found !== undefined);
    if (pool === undefined || !worker.isOpen) return undefined;
    if (room > 0) await this.#owners.add(tx, pool.name, rows.filter(isAble));
    const served = worker.servedIn(pool);
    return { pool, room, served, now, workerId: worker.id, leaseUntil: now + limits.leaseMs, isAble };
  }
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
