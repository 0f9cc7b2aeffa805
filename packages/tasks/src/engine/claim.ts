/** Claiming: which tasks a worker takes, fairly between owners and within the limits. */
import type { StoreTransaction } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { Pool } from './pools.ts';

/** A kind that a worker can run. */
export interface KnownKind {
  readonly kind: string;
  readonly version: number;
}

/** What a worker asks for. */
export interface ClaimRequest {
  readonly workerId: string;
  readonly pool: Pool;
  readonly room: number;
  readonly now: number;
  readonly limits: TaskLimits;
  readonly turns: Turns;
}

interface Owner {
  readonly organization_id: string;
  readonly owner_id: string;
}

const MOST_TURNS = 10_000;

/** Whose turn it is: remembers in which order owners were served. */
export class Turns {
  readonly #served = new Map<string, number>();
  #count = 0;

  took(owner: Owner): void {
    const key = keyOf(owner);
    this.#served.delete(key);
    this.#served.set(key, (this.#count += 1));
    const [oldest] = this.#served.keys();
    if (this.#served.size > MOST_TURNS && oldest !== undefined) this.#served.delete(oldest);
  }

  of(owner: Owner): number {
    return this.#served.get(keyOf(owner)) ?? 0;
  }
}

function keyOf(owner: Owner): string {
  return `${owner.organization_id} ${owner.owner_id}`;
}

const CLAIMS = 'tasks.claims';

/** One claimer at a time: two that count at once would both find room for the last place. */
export function lockClaims(tx: StoreTransaction): Promise<void> {
  return tx.exclusive(CLAIMS);
}

/** Takes due tasks, one per owner in turn and the least served first, until there is no more room. */
export async function claimDue(tx: StoreTransaction, request: ClaimRequest): Promise<TaskRow[]> {
  const { limits, workerId, turns, pool } = request;
  const running = await countRunning(tx, workerId, pool);
  const room = Math.min(request.room, pool.perProcess - running.inProcess);
  const claimed: TaskRow[] = [];
  let hasSuspect = await runsSuspect(tx, request);
  let owners = (await ownersWithWork(tx, request)).toSorted(
    (left, right) =>
      running.of(left) - running.of(right) || turns.of(left) - turns.of(right) || left.due_at - right.due_at,
  );
  while (owners.length > 0 && claimed.length < room) {
    const still: typeof owners = [];
    for (const owner of owners) {
      if (claimed.length >= room) break;
      if (!running.hasRoom(owner)) continue;
      const row = await claimOne(tx, owner, request, hasSuspect);
      if (row === undefined) continue;
      hasSuspect ||= row.crashes >= limits.suspectCrashes;
      running.add(owner);
      claimed.push(row);
      still.push(owner);
    }
    owners = still;
  }
  return claimed;
}

/** True when one more task of an owner may run now in the process of a worker. */
export async function hasRoomFor(
  tx: StoreTransaction,
  owner: Owner,
  workerId: string,
  pool: Pool,
): Promise<boolean> {
  const running = await countRunning(tx, workerId, pool);
  return running.inProcess < pool.perProcess && running.hasRoom(owner);
}

async function ownersWithWork(
  tx: StoreTransaction,
  { now, pool }: ClaimRequest,
): Promise<(Owner & { readonly due_at: number })[]> {
  return tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select(['organization_id', 'owner_id', (min) => min.fn.min<number>('due_at').as('due_at')])
    .where('state', 'in', ['ready', 'asking'])
    .where('due_at', '<=', now)
    .where(
      'kind',
      'in',
      pool.kinds.map(({ kind }) => kind),
    )
    .groupBy(['organization_id', 'owner_id'])
    .execute();
}

async function countRunning(tx: StoreTransaction, workerId: string, pool: Pool) {
  const { among, isInside } = pool.counts;
  const rows = await tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select(['organization_id', 'owner_id', 'worker_id', (count) => count.fn.countAll().as('running')])
    .where('state', '=', 'running')
    .$if(among.length > 0, (query) => query.where('kind', isInside ? 'in' : 'not in', among))
    .groupBy(['organization_id', 'owner_id', 'worker_id'])
    .execute();
  const owners = new Map<string, number>();
  const organizations = new Map<string, number>();
  const of = (owner: Owner) => owners.get(keyOf(owner)) ?? 0;
  const bump = (owner: Owner, by: number) => {
    owners.set(keyOf(owner), of(owner) + by);
    organizations.set(owner.organization_id, (organizations.get(owner.organization_id) ?? 0) + by);
  };
  let inProcess = 0;
  for (const row of rows) {
    bump(row, Number(row.running));
    if (row.worker_id === workerId) inProcess += Number(row.running);
  }
  return {
    inProcess,
    of,
    hasRoom: (owner: Owner) =>
      of(owner) < pool.perOwner && (organizations.get(owner.organization_id) ?? 0) < pool.perOrganization,
    add: (owner: Owner) => bump(owner, 1),
  };
}

/** True while the worker runs a task whose earlier runs ended with their worker, perhaps because of the task. */
async function runsSuspect(tx: StoreTransaction, { workerId, limits }: ClaimRequest): Promise<boolean> {
  const suspect = await tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select('id')
    .where('worker_id', '=', workerId)
    .where('state', '=', 'running')
    .where('crashes', '>=', limits.suspectCrashes)
    .limit(1)
    .executeTakeFirst();
  return suspect !== undefined;
}

async function claimOne(
  tx: StoreTransaction,
  owner: Owner,
  request: ClaimRequest,
  hasSuspect: boolean,
): Promise<TaskRow | undefined> {
  // One state at a time: each is read in the order of its index, without sorting what waits.
  const next =
    (await nextOf(tx, 'ready', owner, request, hasSuspect)) ??
    (await nextOf(tx, 'asking', owner, request, hasSuspect));
  if (next === undefined) return undefined;
  const taken = {
    state: 'running' as const,
    worker_id: request.workerId,
    lease_until: request.now + request.limits.leaseMs,
    fence: next.fence + 1,
  };
  await tx.db<TaskTables>().updateTable('tasks').set(taken).where('id', '=', next.id).execute();
  return { ...next, ...taken };
}

async function nextOf(
  tx: StoreTransaction,
  state: 'ready' | 'asking',
  owner: Owner,
  request: ClaimRequest,
  hasSuspect: boolean,
): Promise<TaskRow | undefined> {
  const next = tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .selectAll()
    .where('organization_id', '=', owner.organization_id)
    .where('owner_id', '=', owner.owner_id)
    .where('state', '=', state)
    .where('due_at', '<=', request.now)
    .where((where) =>
      where.or(request.pool.kinds.map(({ kind, version }) => where.and({ kind, kind_version: version }))),
    )
    .$if(hasSuspect, (query) => query.where('crashes', '<', request.limits.suspectCrashes))
    .orderBy('priority', 'desc')
    .orderBy('due_at')
    .orderBy('created_at')
    .limit(1);
  // A task that someone cancels or answers right now is not taken from under them.
  return tx.locked(next, { skipHeld: true }).executeTakeFirst();
}
