/** Claiming: which tasks a worker takes, fairly between owners and within the limits; each step is a single statement. */
import type { Store } from '@parley/store';
import { isAmong, isAmongFew, rowLock } from '@parley/store';
import { sql } from 'kysely';
import type { PoolName, TaskRow } from '../schema.ts';
import type { Pool } from './pools.ts';

/** What a look at the tasks of a pool found. */
export interface Look {
  readonly pool: PoolName;
  /** The lowest turn in line. */
  readonly head: number | null;
  /** How many are due that have no turn yet; no more than a worker takes at once are counted. */
  readonly due: number;
  /** How many have one, counted likewise. */
  readonly inLine: number;
}

/** The most tasks that get their turns in one statement. */
const MOST_SEATED = 256;
const MOST_COUNTED = 64;

const ORDER = sql`turn, priority desc, due_at, created_at`;
const WAITS = sql`state in ('ready', 'asking')`;

const known = (store: Store, pool: Pool) =>
  isAmong(store.engine, sql`kind || '@' || kind_version`, pool.kinds);

/** Looks without a lock, so that an idle worker does not stand in the way of writers; also tells the next due time. */
export async function lookForWork(
  store: Store,
  pools: readonly Pool[],
  now: number,
): Promise<{ readonly looks: readonly Look[]; readonly nextDueAt: number | null }> {
  const looks = pools.map(
    (pool) => sql`
      select cast(${pool.name} as text) as pool,
        (select min(turn) from tasks where pool = ${pool.name} and turn is not null) as head,
        (select count(*) from (
          select 1 from tasks where pool = ${pool.name} and turn is not null limit ${MOST_COUNTED}
        ) as seated) as in_line,
        (select count(*) from (
          select 1 from tasks where turn is null and ${WAITS} and due_at <= ${now} and pool = ${pool.name}
          and ${known(store, pool)} limit ${MOST_COUNTED}
        ) as unseated) as due,
        (select min(due_at) from tasks where turn is null and ${WAITS} and due_at > ${now}) as next_due_at`,
  );
  const { rows } = await sql<{
    pool: PoolName;
    head: number | null;
    in_line: number;
    due: number;
    next_due_at: number | null;
  }>`${sql.join(looks, sql` union all `)}`.execute(store.db());
  return {
    looks: rows.map(({ pool, head, in_line, due }) => ({ pool, head, due, inLine: in_line })),
    nextDueAt: rows[0]?.next_due_at ?? null,
  };
}

/**
 * Gives due tasks their turns: each owner's next one after the last of its own, and none before those that were served.
 * So of each owner the first one in line comes before the second one of anybody. An urgent one goes in front of the
 * other ones of its owner.
 */
export async function giveTurns(
  store: Store,
  { pool, now, served }: { readonly pool: Pool; readonly now: number; readonly served: number },
): Promise<void> {
  await sql`
    with due as (
      select id, organization_id, owner_id, priority, due_at, created_at from tasks
      where turn is null and ${WAITS} and due_at <= ${now} and pool = ${pool.name} and ${known(store, pool)}
      order by due_at, created_at limit ${MOST_SEATED} ${rowLock(store.engine, { skipHeld: true })}
    ), owners as (
      select distinct organization_id, owner_id from due
    ), lines as (
      select organization_id, owner_id, coalesce((
        select max(mine.turn) from tasks mine where mine.organization_id = owners.organization_id
        and mine.owner_id = owners.owner_id and mine.pool = ${pool.name} and mine.turn is not null
      ), 0) as last from owners
    ), seated as (
      select due.id, coalesce(
        case when due.priority > 0 then (
          select min(mine.turn) from tasks mine where mine.organization_id = due.organization_id
          and mine.owner_id = due.owner_id and mine.pool = ${pool.name} and mine.turn is not null
          and mine.priority < due.priority
        ) end,
        case when lines.last > cast(${served} as bigint) then lines.last else cast(${served} as bigint) end
        + row_number() over (
          partition by due.organization_id, due.owner_id order by due.priority desc, due.due_at, due.created_at
        )
      ) as turn
      from due join lines on lines.organization_id = due.organization_id and lines.owner_id = due.owner_id
    )
    update tasks set turn = seated.turn from seated where tasks.id = seated.id`.execute(store.db());
}

/** What a worker asks for. */
export interface ClaimRequest {
  readonly workerId: string;
  readonly pool: Pool;
  readonly room: number;
  readonly leaseUntil: number;
  /** A task that was running so often when its worker ended counts as a suspect. */
  readonly suspectCrashes: number;
  /** Whether the worker runs a suspect already; beside one it takes no other. */
  readonly hasSuspect: boolean;
}

/**
 * Takes tasks in the order of their turns, as many as their owners and organizations have places for. Tasks that
 * somebody else holds are left to them, so that two workers look at different ones. The rows that count places are held
 * while the statement runs and no longer, always in one order and after the tasks.
 */
export async function claimDue(store: Store, request: ClaimRequest): Promise<TaskRow[]> {
  const { pool, room, workerId, leaseUntil, suspectCrashes } = request;
  const { rows } = await sql<TaskRow>`
    with seen as (
      select id, organization_id, owner_id, turn, priority, due_at, created_at,
        case when crashes >= ${suspectCrashes} then 1 else 0 end as suspect
      from tasks
      where pool = ${pool.name} and turn is not null and ${WAITS} and ${known(store, pool)}
      and (organization_id, owner_id) not in (
        select organization_id, owner_id from task_places where pool = ${pool.name} and running >= ${pool.perOwner}
      ) and organization_id not in (
        select organization_id from task_places
        where pool = ${pool.name} and owner_id = '' and running >= ${pool.perOrganization}
      )
      order by ${ORDER} limit ${2 * room + 16} ${rowLock(store.engine, { skipHeld: true })}
    ), places as (
      select organization_id, owner_id, running from task_places
      where pool = ${pool.name} and (organization_id, owner_id) in (
        select organization_id, owner_id from seen union select organization_id, '' from seen
      )
      order by organization_id, owner_id ${rowLock(store.engine)}
    ), screened as (
      select seen.*, row_number() over (partition by suspect order by ${ORDER}) as of_suspects from seen
    ), ranked as (
      select screened.*, row_number() over (partition by organization_id, owner_id order by ${ORDER}) as of_owner
      from screened where suspect = 0 or of_suspects <= ${request.hasSuspect ? 0 : 1}
    ), fitting as (
      select ranked.*, row_number() over (partition by ranked.organization_id order by ${ORDER}) as of_organization
      from ranked join places on places.organization_id = ranked.organization_id and places.owner_id = ranked.owner_id
      where ranked.of_owner <= ${pool.perOwner} - places.running
    ), chosen as (
      select fitting.id from fitting
      join places on places.organization_id = fitting.organization_id and places.owner_id = ''
      where fitting.of_organization <= ${pool.perOrganization} - places.running
      order by ${ORDER} limit ${room}
    )
    update tasks set state = 'running', worker_id = ${workerId}, lease_until = ${leaseUntil}, fence = fence + 1,
      served_turn = turn, turn = null
    where ${isAmongFew(store.engine, sql`id`, sql`select id from chosen`)} returning *`.execute(store.db());
  return rows.toSorted(
    (left, right) =>
      (left.served_turn ?? 0) - (right.served_turn ?? 0) ||
      right.priority - left.priority ||
      left.due_at - right.due_at ||
      left.created_at - right.created_at,
  );
}
