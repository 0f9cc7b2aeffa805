/** How many tasks run of whom: counted from their rows, by whoever has the turn of their organizations. */
import type { StoreEngine, StoreTransaction } from '@parley/store';
import { isAmong, oneAtATime } from '@parley/store';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { PoolName, TaskRow } from '../schema.ts';
import type { Pool } from './pools.ts';

/** Each organization of these once. */
export function organizationsOf(rows: readonly Pick<TaskRow, 'organization_id'>[]): string[] {
  return [...new Set(rows.map(({ organization_id: id }) => id))];
}

/**
 * Before the last statement that begins tasks: two that begin tasks of one organization follow each other, so that the
 * second one counts what the first one began. The server holds the turn until the commit, and ends of tasks need none.
 */
export function takeTurns(tx: StoreTransaction, pool: PoolName, organizations: readonly string[]): void {
  oneAtATime(
    tx,
    organizations.map((id) => `tasks ${pool} ${id}`),
  );
}

/** The tables `running` and `of_organizations` of a statement, with the counts of owners and of organizations that have any. */
export function runningOf(
  engine: StoreEngine,
  pool: Pick<Pool, 'name'>,
  organizations: readonly string[],
): RawBuilder<unknown> {
  return sql`running as (
      select organization_id, owner_id, count(*) as running from tasks
      where pool = ${pool.name} and state = 'running' and ${isAmong(engine, sql`organization_id`, organizations)}
      group by organization_id, owner_id
    ), of_organizations as (
      select organization_id, sum(running) as running from running group by organization_id
    )`;
}
