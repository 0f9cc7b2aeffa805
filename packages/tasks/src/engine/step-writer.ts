/** The outcomes of steps, of all tasks of a process: fenced, and many in one commit. */
import type { RowTableColumns, Store, StoreTransaction, Written } from '@parley/store';
import { Batches, planLast, rowTable } from '@parley/store';
import { sql } from 'kysely';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskStepRow } from '../schema.ts';
import { STEP_COLUMNS } from '../schema.ts';
import { LeaseLost } from './finish.ts';
import { notShorter } from './rows.ts';

export interface StepWriterOptions {
  readonly store: Store;
  readonly limits: Pick<TaskLimits, 'leaseMs'>;
  readonly now: () => number;
}

interface StepWrite {
  readonly task: Pick<TaskRow, 'id' | 'fence'>;
  readonly step: TaskStepRow;
}

type Held = Pick<TaskRow, 'id' | 'fence'>;

const HELD_COLUMNS: RowTableColumns<Held> = { id: 'text', fence: 'integer' };

/**
 * Stores steps, sleeps and retries; a finished one also proves that the task does not kill its workers. It renews the
 * lease too: a row that is written all the time is left out by those who renew.
 */
export class StepWriter {
  readonly #store: Store;
  readonly #batches: Batches<StepWrite, number>;

  constructor({ store, limits, now }: StepWriterOptions) {
    this.#store = store;
    this.#batches = new Batches((steps) =>
      store.spending.within(undefined, () =>
        writeSteps(store, steps, { now: now(), leaseMs: limits.leaseMs }),
      ),
    );
  }

  /** Resolves after the commit, with the end of the lease; throws when the claim that does the step has lost its task. */
  write(task: Held, step: TaskStepRow): Promise<number> {
    return this.#store.spending.wait('database', 'commit', this.#batches.add({ task, step }));
  }
}

/** Both statements at once: the second one writes for the tasks that the first one holds. */
async function writeSteps(
  store: Store,
  steps: readonly StepWrite[],
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): Promise<readonly Written<number>[]> {
  const until = now + leaseMs;
  let held: ReadonlySet<string> = new Set();
  const write = async (tx: StoreTransaction) => {
    const tasks = steps.map(({ task }) => task);
    const fenced = steps.map(({ task: { fence }, step }) => ({ ...step, fence }));
    planLast(tx, 'named', () => {
      tx.last(holdTasks(tx, tasks, { now, until }), (rows) => {
        held = new Set(rows.map(claimKey));
        return undefined;
      });
      tx.last(upsertFenced(tx, fenced));
    });
  };
  await store.transaction(write, { lane: 'ending' });
  return steps.map(({ task }) => (held.has(claimKey(task)) ? { value: until } : { error: new LeaseLost() }));
}

const claimKey = ({ id, fence }: Held) => `${id} ${fence}`;

/** Keeps others from taking the tasks until the commit, and for a lease after it; returns those that are still held under these claims. */
function holdTasks(
  tx: StoreTransaction,
  tasks: readonly Held[],
  { now, until }: { readonly now: number; readonly until: number },
) {
  const each = [...new Map(tasks.map(({ id, fence }) => [`${id} ${fence}`, { id, fence }])).values()];
  const ordered = each.toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const table = rowTable<Held>(tx.engine, 'held', { rows: ordered, columns: HELD_COLUMNS });
  return sql<Held>`
    update tasks set crashes = 0,
      lease_until = ${notShorter(until)},
      updated_at = case when tasks.updated_at > ${now} then tasks.updated_at else ${now} end
    from ${table} where tasks.id = held.id and tasks.fence = held.fence and tasks.state = 'running'
    returning tasks.id, tasks.fence`;
}

const NAMES = Object.keys(STEP_COLUMNS);
const REPLACES = sql`on conflict (task_id, step_key) do update set
  outcome = excluded.outcome, attempts = excluded.attempts, due_at = excluded.due_at`;

type FencedStep = TaskStepRow & Pick<TaskRow, 'fence'>;

/** A claim that was lost stays lost, so those that are held now are those that were held just before. */
function upsertFenced(tx: StoreTransaction, steps: readonly FencedStep[]) {
  const columns = sql.join(NAMES.map((name) => sql.ref(name)));
  const values = sql.join(NAMES.map((name) => sql.ref(`done.${name}`)));
  const table = rowTable<FencedStep>(tx.engine, 'done', {
    rows: steps,
    columns: { ...STEP_COLUMNS, fence: 'integer' },
  });
  return sql`
    insert into task_steps (${columns}) select ${values} from ${table}
    join tasks on tasks.id = done.task_id and tasks.fence = done.fence and tasks.state = 'running'
    where true ${REPLACES}`;
}

/** Writes steps of tasks that the transaction holds. */
export async function upsertSteps(tx: StoreTransaction, steps: readonly TaskStepRow[]): Promise<void> {
  if (steps.length === 0) return;
  const columns = sql.join(NAMES.map((name) => sql.ref(name)));
  const table = rowTable<TaskStepRow>(tx.engine, 'done', { rows: steps, columns: STEP_COLUMNS });
  await sql`
    insert into task_steps (${columns}) select ${columns} from ${table} where true ${REPLACES}`.execute(
    tx.db(),
  );
}
