/** Inserting tasks: many in one statement, which also decides which of them begin at once. */
import type { RowTableColumns, StoreTransaction } from '@parley/store';
import { rowTable } from '@parley/store';
import { sql } from 'kysely';
import type { TaskRow } from '../schema.ts';
import { TASK_COLUMNS } from '../schema.ts';
import type { Pool } from './pools.ts';
import { organizationsOf, runningOf } from './running.ts';
import { sameKey } from './same-task.ts';

/** Who takes new tasks, and how many of them at once; the others get their turns here too. */
export interface Begin {
  readonly pool: Pool;
  readonly room: number;
  /** The highest turn that was served. */
  readonly served: number;
  readonly workerId: string;
  readonly leaseUntil: number;
  readonly now: number;
  /** Whether the worker runs such a task, and it is due. */
  isAble(row: TaskRow): boolean;
}

interface MadeRow extends TaskRow {
  /** Its place in the batch. */
  readonly place: number;
  readonly able: number;
  readonly same_key: string;
}

const COLUMNS: RowTableColumns<MadeRow> = {
  ...TASK_COLUMNS,
  place: 'integer',
  able: 'integer',
  same_key: 'text',
};

const NAMES = Object.keys(TASK_COLUMNS);

/** What was inserted, and whether it runs. */
export type Inserted = Pick<TaskRow, 'id' | 'state'>;

/** The statement that inserts what has no same one yet. */
export function insertion(tx: StoreTransaction, rows: readonly TaskRow[], begin: Begin | undefined) {
  const made = rows.map((row, place) => ({
    ...row,
    place,
    able: begin?.isAble(row) === true ? 1 : 0,
    same_key: sameKey(row),
  }));
  const table = rowTable<MadeRow>(tx.engine, 'given', { rows: made, columns: COLUMNS });
  const columns = sql.join(NAMES.map((name) => sql.ref(name)));
  const able = made.some((row) => row.able === 1) ? begin : undefined;
  const ways =
    able === undefined
      ? sql``
      : sql`, ${able.room > 0 ? begun(tx, organizationsOf(rows), able) : NOBODY}, ${lined(able)}`;
  const joins = sql`left join begun on begun.id = made.id left join lined on lined.id = made.id`;
  return sql<Inserted>`
    with made as (select * from ${table}) ${ways}
    insert into tasks (${columns}) select ${selected(able)} from made ${able === undefined ? sql`` : joins}
    where true order by made.same_key on conflict do nothing returning id, state`;
}

/** The rows of these that are in the database now, by id. */
export function rowsOf(
  rows: readonly TaskRow[],
  inserted: readonly Inserted[],
  begin: Begin | undefined,
): ReadonlyMap<string, TaskRow> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const result = new Map<string, TaskRow>();
  for (const { id, state } of inserted) {
    const row = byId.get(id);
    if (row === undefined) continue;
    result.set(id, state === 'running' && begin !== undefined ? { ...row, ...claimOf(begin) } : row);
  }
  return result;
}

/**
 * Those that find a place of their owner and organization, and overtake no earlier one of their owner. Whoever begins
 * tasks of these organizations has its turn before or after, so that what runs is known (`takeTurns`).
 */
function begun(tx: StoreTransaction, organizations: readonly string[], { pool, room, now }: Begin) {
  return sql`${runningOf(tx.engine, pool, organizations)}, owners as materialized (
      select organization_id, owner_id, case when exists (
        select 1 from tasks where tasks.organization_id = asked.organization_id
        and tasks.owner_id = asked.owner_id and tasks.state = 'ready' and tasks.due_at <= ${now}
      ) then 1 else 0 end as waits
      from (select distinct organization_id, owner_id from made where able = 1) as asked
    ), able as (
      select id, organization_id, owner_id, place,
        row_number() over (partition by organization_id, owner_id order by place) as of_owner
      from made where able = 1
    ), fitting as (
      select able.id, able.organization_id, able.place,
        row_number() over (partition by able.organization_id order by able.place) as of_organization
      from able join owners on owners.organization_id = able.organization_id and owners.owner_id = able.owner_id
      left join running on running.organization_id = able.organization_id and running.owner_id = able.owner_id
      where owners.waits = 0 and able.of_owner <= ${pool.perOwner} - coalesce(running.running, 0)
    ), begun as (
      select fitting.id from fitting
      left join of_organizations on of_organizations.organization_id = fitting.organization_id
      where fitting.of_organization <= ${pool.perOrganization} - coalesce(of_organizations.running, 0)
      order by fitting.place limit ${room}
    )`;
}

/** Every place of the process is taken. */
const NOBODY = sql`begun as (select id from made where able = 2)`;

/** The turns of those that do not begin: as `giveTurns` gives them, but for the urgent ones, which are left to it. */
function lined({ pool, served }: Begin) {
  const base = sql`(select case when coalesce(min(turn), 1) - 1 > cast(${served} as bigint)
    then min(turn) - 1 else cast(${served} as bigint) end as turn from tasks where pool = ${pool.name} and turn is not null)`;
  return sql`lines as materialized (
      select organization_id, owner_id, coalesce((
        select max(mine.turn) from tasks mine where mine.organization_id = asked.organization_id
        and mine.owner_id = asked.owner_id and mine.pool = ${pool.name} and mine.turn is not null
      ), 0) as last from (select distinct organization_id, owner_id from made where able = 1 and priority = 0) as asked
    ), lined as (
      select made.id, case when lines.last > base.turn then lines.last else base.turn end
        + row_number() over (partition by made.organization_id, made.owner_id order by made.place) as turn
      from made join lines on lines.organization_id = made.organization_id and lines.owner_id = made.owner_id
      cross join ${base} as base where made.able = 1 and made.priority = 0
    )`;
}

const claimOf = ({ workerId, leaseUntil }: Begin) =>
  ({ state: 'running', worker_id: workerId, lease_until: leaseUntil, fence: 1 }) as const;

/** The columns as they are given, but for those that say who has it. */
function selected(begin: Begin | undefined) {
  const ofClaim: Record<string, unknown> =
    begin === undefined
      ? {}
      : {
          state: sql`case when begun.id is null then 'ready' else 'running' end`,
          worker_id: sql`case when begun.id is null then null else cast(${begin.workerId} as text) end`,
          lease_until: sql`case when begun.id is null then null else cast(${begin.leaseUntil} as bigint) end`,
          fence: sql`case when begun.id is null then 0 else 1 end`,
          turn: sql`case when begun.id is null then lined.turn else null end`,
        };
  return sql.join(NAMES.map((name) => ofClaim[name] ?? sql.ref(`made.${name}`)));
}
