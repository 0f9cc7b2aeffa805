/** Claiming: which tasks a worker takes, fairly between owners and within the limits. */
import type { StoreTransaction } from '@parley/store';
import { sql } from 'kysely';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';

/** A kind that a worker can run. */
export interface KnownKind {
  readonly kind: string;
  readonly version: number;
}

/** What a worker asks for. */
export interface ClaimRequest {
  readonly workerId: string;
  readonly kinds: readonly KnownKind[];
  readonly room: number;
  readonly now: number;
  readonly limits: TaskLimits;
}

interface Owner {
  readonly organization_id: string;
  readonly owner_id: string;
}

const CLAIM_LOCK = 0x7061_726c;

/** One claimer at a time: two that count at once would both find room for the last place. */
export async function lockClaims(tx: StoreTransaction, engine: 'sqlite' | 'postgres'): Promise<void> {
  // A SQLite write transaction holds the only write lock there is.
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${CLAIM_LOCK})`.execute(tx.db());
}

/** Takes due tasks, one per owner in turn, until there is no more room. */
export async function claimDue(tx: StoreTransaction, request: ClaimRequest): Promise<TaskRow[]> {
  const claimed: TaskRow[] = [];
  let owners = await ownersWithWork(tx, request);
  const running = await countRunning(tx);
  while (owners.length > 0 && claimed.length < request.room) {
    const still: Owner[] = [];
    for (const owner of owners) {
      if (claimed.length >= request.room) break;
      if (!running.hasRoom(owner, request.limits)) continue;
      const row = await claimOne(tx, owner, request);
      if (row === undefined) continue;
      running.add(owner);
      claimed.push(row);
      still.push(owner);
    }
    owners = still;
  }
  return claimed;
}

/** True when one more task of an owner may run now. */
export async function hasRoomFor(tx: StoreTransaction, owner: Owner, limits: TaskLimits): Promise<boolean> {
  return (await countRunning(tx)).hasRoom(owner, limits);
}

async function ownersWithWork(tx: StoreTransaction, { now, kinds }: ClaimRequest): Promise<Owner[]> {
  return tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select(['organization_id', 'owner_id'])
    .distinct()
    .where('state', 'in', ['ready', 'asking'])
    .where('due_at', '<=', now)
    .where(
      'kind',
      'in',
      kinds.map(({ kind }) => kind),
    )
    .execute();
}

async function countRunning(tx: StoreTransaction) {
  const rows = await tx
    .db<TaskTables>()
    .selectFrom('tasks')
    .select(['organization_id', 'owner_id', (count) => count.fn.countAll().as('running')])
    .where('state', '=', 'running')
    .groupBy(['organization_id', 'owner_id'])
    .execute();
  const owners = new Map<string, number>();
  const organizations = new Map<string, number>();
  const keyOf = (owner: Owner) => `${owner.organization_id} ${owner.owner_id}`;
  const bump = (owner: Owner, by: number) => {
    owners.set(keyOf(owner), (owners.get(keyOf(owner)) ?? 0) + by);
    organizations.set(owner.organization_id, (organizations.get(owner.organization_id) ?? 0) + by);
  };
  for (const row of rows) bump(row, Number(row.running));
  return {
    hasRoom: (owner: Owner, limits: TaskLimits) =>
      (owners.get(keyOf(owner)) ?? 0) < limits.runningPerOwner &&
      (organizations.get(owner.organization_id) ?? 0) < limits.runningPerOrganization,
    add: (owner: Owner) => bump(owner, 1),
  };
}

async function claimOne(
  tx: StoreTransaction,
  owner: Owner,
  request: ClaimRequest,
): Promise<TaskRow | undefined> {
  const db = tx.db<TaskTables>();
  const next = await db
    .selectFrom('tasks')
    .selectAll()
    .where('organization_id', '=', owner.organization_id)
    .where('owner_id', '=', owner.owner_id)
    .where('state', 'in', ['ready', 'asking'])
    .where('due_at', '<=', request.now)
    .where((where) =>
      where.or(request.kinds.map(({ kind, version }) => where.and({ kind, kind_version: version }))),
    )
    .orderBy('priority', 'desc')
    .orderBy('due_at')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  if (next === undefined) return undefined;
  const taken = {
    state: 'running' as const,
    worker_id: request.workerId,
    lease_until: request.now + request.limits.leaseMs,
    fence: next.fence + 1,
  };
  await db.updateTable('tasks').set(taken).where('id', '=', next.id).execute();
  return { ...next, ...taken };
}

/** Gives back the tasks whose worker is gone; one that killed its worker too often is not tried again. */
export async function releaseLapsed(tx: StoreTransaction, now: number): Promise<TaskRow[]> {
  const db = tx.db<TaskTables>();
  const lapsed = await db
    .selectFrom('tasks')
    .selectAll()
    .where('state', '=', 'running')
    .where('lease_until', '<', now)
    .execute();
  for (const row of lapsed) {
    await db
      .updateTable('tasks')
      .set({
        state: 'ready',
        worker_id: null,
        lease_until: null,
        due_at: now,
        crashes: row.crashes + 1,
        fence: row.fence + 1,
      })
      .where('id', '=', row.id)
      .where('fence', '=', row.fence)
      .execute();
  }
  return lapsed;
}
