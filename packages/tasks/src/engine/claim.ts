/** Claiming: which tasks a worker takes, fairly between owners and within the limits; each step is a single statement. */
import type { Store, StoreTransaction } from '@parley/store';
import { isAmong, isAmongFew, planLast, rowLock } from '@parley/store';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { PoolName, TaskRow } from '../schema.ts';
import type { Pool } from './pools.ts';
import { runningOf, takeTurns } from './running.ts';

/** What a look at the tasks of a pool found. */
export interface Look {
  readonly pool: PoolName;
  /** The lowest turn in line, whether or not its owner has a place. */
  readonly head: number | null;
  /** How many are due that have no turn yet; no more than a worker takes at once are counted. */
  readonly due: number;
  /** How many have one and may have a place, counted likewise. */
  readonly inLine: number;
  /** Whose tasks these are. */
  readonly organizations: readonly string[];
}

/** The most tasks that get their turns in one statement. */
const MOST_SEATED = 256;
const MOST_COUNTED = 64;

const ORDER = sql`turn, priority desc, due_at, created_at`;
const WAITS = sql`state in ('ready', 'asking')`;

const known = (store: Pick<Store, 'engine'>, pool: Pool) =>
  isAmong(store.engine, sql`kind || '@' || kind_version`, pool.kinds);

/** Looks without a lock, so that an idle worker does not stand in the way of writers; also tells the next due time. */
export async function lookForWork(
  store: Store,
  pools: readonly Pool[],
  now: number,
): Promise<{ readonly looks: readonly Look[]; readonly nextDueAt: number | null }> {
  const parts = pools.flatMap((pool) => lookIn(store, pool, now));
  let rows: readonly Found[] = [];
  await store.transaction(async (tx) =>
    planLast(tx, 'first', () =>
      tx.last(sql<Found>`${sql.join(parts, sql` union all `)}`, (found) => {
        rows = found;
        return undefined;
      }),
    ),
  );
  const looks = pools.map(({ name }): Look => {
    const found = rows.filter(({ pool }) => pool === name);
    const total = (of: 'due' | 'in_line') => found.reduce((sum, row) => sum + row[of], 0);
    const organizations = found.map(({ organization_id: id }) => id).filter((id) => id !== null);
    return {
      pool: name,
      head: found.find(({ organization_id: id }) => id === null)?.head ?? null,
      due: total('due'),
      inLine: total('in_line'),
      organizations: [...new Set(organizations)],
    };
  });
  return { looks, nextDueAt: rows.find(({ next_due_at: at }) => at !== null)?.next_due_at ?? null };
}

interface Found {
  readonly pool: PoolName;
  /** Null in the row that says what is so for the whole line. */
  readonly organization_id: string | null;
  readonly head: number | null;
  readonly in_line: number;
  readonly due: number;
  readonly next_due_at: number | null;
}

function lookIn(store: Store, pool: Pool, now: number): readonly RawBuilder<unknown>[] {
  const name = sql`cast(${pool.name} as text) as pool`;
  const none = sql`cast(null as bigint)`;
  return [
    sql`select ${name}, cast(null as text) as organization_id,
      (select min(turn) from tasks where pool = ${pool.name} and turn is not null) as head, 0 as in_line, 0 as due,
      (select min(due_at) from tasks where turn is null and ${WAITS} and due_at > ${now}) as next_due_at`,
    sql`select ${name}, organization_id, ${none}, count(*), 0, ${none} from (
      select organization_id from tasks where ${inLine(store, pool)} order by ${ORDER} limit ${MOST_COUNTED}
    ) as seated group by organization_id`,
    sql`select ${name}, organization_id, ${none}, 0, count(*), ${none} from (
      select organization_id from tasks where turn is null and ${WAITS} and due_at <= ${now} and pool = ${pool.name}
      and ${known(store, pool)} limit ${MOST_COUNTED}
    ) as unseated group by organization_id`,
  ];
}

/** Those that wait in line, of owners and organizations that do not run as many as they may. */
function inLine(store: Pick<Store, 'engine'>, pool: Pool): RawBuilder<unknown> {
  const running = sql`from tasks where pool = ${pool.name} and state = 'running'`;
  return sql`pool = ${pool.name} and turn is not null and ${WAITS} and ${known(store, pool)}
      and (organization_id, owner_id) not in (
        select organization_id, owner_id ${running} group by organization_id, owner_id having count(*) >= ${pool.perOwner}
      ) and organization_id not in (
        select organization_id ${running} group by organization_id having count(*) >= ${pool.perOrganization}
      )`;
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
  /** Whose tasks it takes: those that its look found. */
  readonly organizations: readonly string[];
  readonly leaseUntil: number;
  /** A task that was running so often when its worker ended counts as a suspect. */
  readonly suspectCrashes: number;
  /** Whether the worker runs a suspect already; beside one it takes no other. */
  readonly hasSuspect: boolean;
}

/** Takes tasks in the order of their turns, as many as their owners and organizations have places for. */
export async function claimDue(store: Store, request: ClaimRequest): Promise<TaskRow[]> {
  let claimed: readonly TaskRow[] = [];
  await store.transaction(async (tx) => {
    takeTurns(tx, request.pool.name, request.organizations);
    claimLast(tx, request, (rows) => (claimed = rows));
  });
  return [...claimed];
}

/** The same with the commit of something else that has the turns of these organizations. */
export function claimLast(
  tx: StoreTransaction,
  request: ClaimRequest,
  onClaimed: (rows: readonly TaskRow[]) => void,
): void {
  planLast(tx, 'first', () =>
    tx.last(claim(tx, request), (rows) => {
      onClaimed(rows.toSorted(byTurn));
      return undefined;
    }),
  );
}

function byTurn(left: TaskRow, right: TaskRow): number {
  return (
    (left.served_turn ?? 0) - (right.served_turn ?? 0) ||
    right.priority - left.priority ||
    left.due_at - right.due_at ||
    left.created_at - right.created_at
  );
}

/** Tasks that somebody else writes are left alone: who has the turn of an organization waits for no task. */
function claim(store: Pick<Store, 'engine'>, request: ClaimRequest) {
  const { pool, room, organizations, workerId, leaseUntil, suspectCrashes } = request;
  return sql<TaskRow>`
    with ${runningOf(store.engine, pool, organizations)}, seen as (
      select id, organization_id, owner_id, turn, priority, due_at, created_at,
        case when crashes >= ${suspectCrashes} then 1 else 0 end as suspect
      from tasks
      where ${inLine(store, pool)} and ${isAmong(store.engine, sql`organization_id`, organizations)}
      order by ${ORDER} limit ${2 * room + 16} ${rowLock(store.engine, { skipHeld: true })}
    ), screened as (
      select seen.*, row_number() over (partition by suspect order by ${ORDER}) as of_suspects from seen
    ), ranked as (
      select screened.*, row_number() over (partition by organization_id, owner_id order by ${ORDER}) as of_owner
      from screened where suspect = 0 or of_suspects <= ${request.hasSuspect ? 0 : 1}
    ), fitting as (
      select ranked.*, row_number() over (partition by ranked.organization_id order by ${ORDER}) as of_organization
      from ranked
      left join running on running.organization_id = ranked.organization_id and running.owner_id = ranked.owner_id
      where ranked.of_owner <= ${pool.perOwner} - coalesce(running.running, 0)
    ), chosen as (
      select fitting.id from fitting
      left join of_organizations on of_organizations.organization_id = fitting.organization_id
      where fitting.of_organization <= ${pool.perOrganization} - coalesce(of_organizations.running, 0)
      order by ${ORDER} limit ${room}
    )
    update tasks set state = 'running', worker_id = ${workerId}, lease_until = ${leaseUntil}, fence = fence + 1,
      served_turn = turn, turn = null
    where ${isAmongFew(store.engine, sql`id`, sql`select id from chosen`)} returning *`;
}
