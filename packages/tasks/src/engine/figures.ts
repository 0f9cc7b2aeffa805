/** What the tasks of a database look like from outside, and what this process did with them. */
import type { Store } from '@parley/store';
import { Durations } from '@parley/store';
import { sql } from 'kysely';
import type { PoolName, TaskRow, TaskTables } from '../schema.ts';

/** Where a task that is not final stands: due and without a worker, running, asking somebody, or put off until a time. */
export type LivingState = 'waiting' | 'running' | 'asking' | 'later';

/** The tasks of one pool in one state, of all processes. */
export interface LivingTasks {
  readonly pool: PoolName;
  readonly state: LivingState;
  /** At most 10,000 of each index; nobody needs to know more exactly how much is too much. */
  readonly count: number;
  /** How long the oldest of them has been due or, where none is, has been there; of those that are due soonest. */
  readonly oldestMs: number;
}

/** What runs of this process came to. */
export class RunCounts {
  /** How long tasks that were due waited until they were begun here. */
  readonly waits: Readonly<Record<PoolName, Durations>> = {
    caller: new Durations(),
    system: new Durations(),
  };
  readonly running: Record<PoolName, number> = { caller: 0, system: 0 };
  readonly ended: Record<NonNullable<TaskRow['outcome']>, number> = { completed: 0, failed: 0, cancelled: 0 };
  /** Runs that found that another worker has their task. */
  leaseLosses = 0;
  /** Tasks that were taken away from workers that were gone. */
  takenOver = 0;
}

/** One run of a task that is over, parked or let go. */
export interface RunReport {
  readonly taskId: string;
  readonly kind: string;
  readonly pool: PoolName;
  /** How long it was due before it began. */
  readonly queueMs: number;
  readonly runMs: number;
}

/** What is known of tasks. */
export interface TaskFigures {
  readonly runs: RunCounts;
  readonly living: readonly LivingTasks[];
}

/** So many rows of an index are looked at: a scrape must not become a scan, and SQLite holds up everybody meanwhile. */
const MOST_COUNTED = 10_000;
/** Rows whose age is looked at, those that are due first of all; it stands behind what may be a large input. */
const MOST_AGED = 200;

const UNSEATED = sql`turn is null and state in ('ready', 'asking')`;

/** Counts the tasks that are not final, over the indexes that hold only those. */
export async function livingTasks(
  store: Store,
  { now, poolOf }: { readonly now: number; readonly poolOf: (kind: string) => PoolName },
): Promise<LivingTasks[]> {
  const db = store.db<TaskTables>();
  const found = new Map<string, LivingTasks>();
  const add = (pool: PoolName, state: LivingState, { count = 0, since = now }) => {
    const { count: before = 0, oldestMs = 0 } = found.get(`${pool} ${state}`) ?? {};
    const ageMs = Math.max(oldestMs, now - since);
    found.set(`${pool} ${state}`, { pool, state, count: before + count, oldestMs: ageMs });
  };

  const seated = await sql<{ pool: PoolName; count: number; since: number }>`
    select pool, count(*) as count, min(case when due_at > created_at then due_at else created_at end) as since
    from (select pool, due_at, created_at from tasks where turn is not null limit ${MOST_COUNTED}) as seated
    group by pool`.execute(store.db());
  for (const { pool, count, since } of seated.rows) add(pool, 'waiting', { count, since });

  const unseated = await sql<UnseatedRow & { count: number }>`
    select kind, state, is_due, count(*) as count from (
      select kind, state, case when due_at <= ${now} then 1 else 0 end as is_due from tasks
      where ${UNSEATED} order by due_at limit ${MOST_COUNTED}
    ) as unseated group by kind, state, is_due`.execute(store.db());
  for (const row of unseated.rows) add(poolOf(row.kind), stateOf(row), { count: row.count });

  const first = await sql<UnseatedRow & { since: number }>`
    select kind, state, case when due_at <= ${now} then 1 else 0 end as is_due,
      case when due_at <= ${now} and due_at > created_at then due_at else created_at end as since
    from tasks where ${UNSEATED} order by due_at limit ${MOST_AGED}`.execute(store.db());
  for (const row of first.rows) add(poolOf(row.kind), stateOf(row), { since: row.since });

  const running = await db
    .selectFrom('tasks')
    .select(['kind', 'created_at'])
    .where('state', '=', sql.lit('running'))
    .limit(MOST_COUNTED)
    .execute();
  for (const { kind, created_at: since } of running) add(poolOf(kind), 'running', { count: 1, since });
  return [...found.values()];
}

interface UnseatedRow {
  kind: string;
  state: TaskRow['state'];
  is_due: number;
}

/** One that was asking and is due has its answer, or gets none, and waits for a worker like every other. */
function stateOf({ state, is_due }: UnseatedRow): LivingState {
  if (is_due === 1) return 'waiting';
  return state === 'asking' ? 'asking' : 'later';
}
