/** What the tasks of a database look like from outside, and what this process did with them. */
import type { Store } from '@parley/store';
import { Durations } from '@parley/store';
import { sql } from 'kysely';
import type { PoolName, TaskRow } from '../schema.ts';

/** Where a task that is not final stands: due and without a worker, running, asking somebody, or put off until a time. */
export type LivingState = 'waiting' | 'running' | 'asking' | 'later';

/** The tasks of one pool in one state, of all processes. */
export interface LivingTasks {
  readonly pool: PoolName;
  readonly state: LivingState;
  /** At most `MOST_COUNTED` of each index; nobody needs to know more exactly how much is too much. */
  readonly count: number;
  /** How long the oldest of them has been due or, where it is not, has been there. */
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

/** So many rows of an index are looked at; a scrape must not become a scan. */
export const MOST_COUNTED = 100_000;

interface Row {
  pool: PoolName;
  state: TaskRow['state'];
  is_due: number;
  count: number;
  since: number;
}

/** Counts the tasks that are not final, over the indexes that hold only those. */
export async function livingTasks(store: Store, now: number): Promise<LivingTasks[]> {
  const columns = sql`pool, state, due_at, created_at, case when due_at <= ${now} then 1 else 0 end as is_due`;
  const { rows } = await sql<Row>`
    select pool, state, is_due, count(*) as count,
      min(case when is_due = 1 and due_at > created_at then due_at else created_at end) as since
    from (
      select * from (select ${columns} from tasks where turn is not null limit ${MOST_COUNTED}) as seated
      union all
      select * from (
        select ${columns} from tasks where turn is null and state in ('ready', 'asking') limit ${MOST_COUNTED}
      ) as unseated
      union all
      select * from (select ${columns} from tasks where state = 'running' limit ${MOST_COUNTED}) as running
    ) as living group by pool, state, is_due`.execute(store.db());
  const found = new Map<string, LivingTasks>();
  for (const row of rows) {
    const { pool, count } = row;
    const state = stateOf(row);
    const before = found.get(`${pool} ${state}`);
    const oldestMs = Math.max(0, now - row.since, before?.oldestMs ?? 0);
    found.set(`${pool} ${state}`, { pool, state, count: count + (before?.count ?? 0), oldestMs });
  }
  return [...found.values()];
}

function stateOf({ state, is_due }: Row): LivingState {
  if (state === 'running' || state === 'asking') return state;
  return is_due === 1 ? 'waiting' : 'later';
}
