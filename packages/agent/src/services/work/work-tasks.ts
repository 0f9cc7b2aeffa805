/** Work tasks of agents: made, offered where there is no runner, claimed, answered and ended. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { AgentTables } from '../../schema.ts';
import type { Acting } from '../../session.ts';
import type { Reaching } from '../projects/projects.ts';
import type { CarryOutParts } from './carry-out.ts';
import { finish, promptOf, workKind } from './carry-out.ts';
import type { Lane } from './queue.ts';
import { carryOn, endWork, findWork, isOpen, laneOf, OPEN, openIn, startNext, workOwner } from './queue.ts';
import type { WorkStatus, WorkTables, WorkTaskRow } from './schema.ts';

/** A work task, as its agent and people see it. */
export interface WorkTask {
  readonly id: string;
  readonly agentId: string;
  readonly projectId: string;
  readonly description: string;
  readonly status: WorkStatus;
  readonly branch: string | null;
  readonly iterations: number;
  readonly error: string | null;
  readonly reply: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** A work task in its line; 0: it has its turn. */
export interface QueuedWork extends WorkTask {
  readonly position: number;
}

/** What whoever claims a work task needs to do it. */
export interface ClaimedWork {
  readonly id: string;
  /** Shown when it is renewed, answered or given up. */
  readonly claim: string;
  readonly leaseUntil: number;
  readonly prompt: string;
  readonly folder: string;
  readonly branch: string;
}

/** An agent in its organization. */
export type Worker = Pick<Reaching, 'organizationId' | 'agentId'>;

export interface WorkTasks {
  create(
    acting: Pick<Acting, 'organizationId' | 'agentId' | 'projectId' | 'depth' | 'unattended'>,
    input: {
      readonly description: string;
      readonly projectId?: string | undefined;
      /** The same key means the same work, after a crash. */
      readonly key?: string | undefined;
    },
  ): Promise<QueuedWork>;
  get(worker: Worker, id: string): Promise<WorkTask | undefined>;
  /** The newest first. */
  list(worker: Worker): Promise<WorkTask[]>;
  /** What waits for the agent, the oldest first. */
  offered(worker: Worker): Promise<WorkTask[]>;
  /** Takes a task that is offered, or renews the claim on it. */
  claim(worker: Worker, id: string, claim?: string): Promise<ClaimedWork>;
  reply(worker: Worker, id: string, claim: string, text: string): Promise<WorkTask>;
  fail(worker: Worker, id: string, claim: string, error: string): Promise<WorkTask>;
  cancel(worker: Worker, id: string): Promise<WorkTask>;
  /** Ends work that was given up, and goes on with what it held up. */
  check(): Promise<void>;
  /** The same, and removes what a crash left. */
  recover(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;
const MOST_PER_DAY = 100;
const MOST_LISTED = 100;
const LEASE_MS = 60_000;

export function createWorkTasks(parts: CarryOutParts): WorkTasks {
  const { store, tasks, projects, worktrees, now } = parts;
  tasks.register(workKind(parts));

  async function owned({ organizationId, agentId }: Worker, id: string): Promise<WorkTaskRow | undefined> {
    const row = await findWork(store, id);
    return row?.organization_id === organizationId && row.agent_id === agentId ? row : undefined;
  }

  async function required(worker: Worker, id: string): Promise<WorkTaskRow> {
    const row = await owned(worker, id);
    if (row === undefined) throw notFound();
    return row;
  }

  /** The task under a claim that still holds. */
  async function claimed(worker: Worker, id: string, claim: string): Promise<WorkTaskRow> {
    const row = await required(worker, id);
    if (!isOffered(row) || row.claim_hash === null || !isSame(row.claim_hash, hashOf(claim)))
      throw new ToolError('conflict', 'This claim does not hold any more. Claim the work again.');
    return row;
  }

  /** Ends what its durable task has left behind, such as one that was given up. */
  async function repair(lane: Lane): Promise<void> {
    for (const row of await openIn(store, lane)) {
      if (row.task_id === null) continue;
      const owner = { organizationId: lane.organizationId, ownerId: workOwner(lane.organizationId).id };
      const task = await tasks.get(owner, row.task_id);
      if (task !== undefined && ['working', 'input_required'].includes(task.status)) continue;
      // Looked at again: its task may have handed it over just before it ended.
      if ((await findWork(store, row.id))?.task_id !== row.task_id) continue;
      await endWork(parts, row, { status: 'failed', error: 'The work was interrupted and given up.' });
    }
  }

  /** Also after a restart, when nobody makes a new one. */
  async function resume(lane: Lane): Promise<void> {
    await repair(lane);
    await store.transaction((tx) => startNext(parts, tx, lane));
  }

  async function check(): Promise<void> {
    const open = await store
      .db<WorkTables>()
      .selectFrom('work_tasks')
      .select(['organization_id', 'project_id'])
      .distinct()
      .where('status', 'in', OPEN)
      .execute();
    for (const row of open) await resume(laneOf(row));
  }

  return {
    async create(acting, { description, projectId, key }) {
      const id = key === undefined ? typeId('work', now()) : idOfKey(acting, key);
      const before = key === undefined ? undefined : await owned(acting, id);
      if (before !== undefined) return { ...shown(before), position: 0 };
      const project = await projectFor(acting, projectId);
      const lane = { organizationId: acting.organizationId, projectId: project };
      await repair(lane);
      const at = now();
      await store.transaction(async (tx) => {
        await refuseTooMany(tx, acting, at);
        await tx
          .db<WorkTables>()
          .insertInto('work_tasks')
          .values(newRow({ id, at, description, projectId: project }, acting))
          // Somebody else with the same key was a moment earlier.
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        await startNext(parts, tx, lane);
      });
      const open = await openIn(store, lane);
      const position = open.findIndex((row) => row.id === id);
      const row = open[position] ?? (await findWork(store, id));
      if (row === undefined) throw notFound();
      return { ...shown(row), position: Math.max(0, position) };
    },
    async get(worker, id) {
      const row = await owned(worker, id);
      return row && shown(row);
    },
    list: async (worker) => (await rowsOf(worker).orderBy('created_at', 'desc').execute()).map(shown),
    async offered(worker) {
      const rows = await rowsOf(worker)
        .where('status', '=', 'running')
        .where('task_id', 'is', null)
        .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '<=', now())]))
        .orderBy('created_at')
        .execute();
      return rows.map(shown);
    },
    async claim(worker, id, claim) {
      const row = await required(worker, id);
      if (!isOffered(row) || row.branch === null || row.repository === null)
        throw new ToolError('conflict', `This work is not offered: it is ${row.status}.`);
      const text = claim ?? randomBytes(24).toString('base64url');
      const leaseUntil = now() + LEASE_MS;
      const taken = await store.transaction(async (tx) => {
        const query = tx.db<WorkTables>().selectFrom('work_tasks').selectAll().where('id', '=', id);
        const current = await tx.locked(query).executeTakeFirst();
        if (current === undefined || !isOffered(current) || !mayTake(current, claim, now())) return false;
        const change = { claim_hash: hashOf(text), lease_until: leaseUntil, updated_at: now() };
        await tx.db<WorkTables>().updateTable('work_tasks').set(change).where('id', '=', id).execute();
        return true;
      });
      if (!taken) throw new ToolError('conflict', 'Somebody else works on this. Try again in a minute.');
      const { repository, branch } = row;
      const folder = await worktrees.ensure({ taskId: id, repository, branch }, AbortSignal.any([]));
      return { id, claim: text, leaseUntil, prompt: promptOf(row), folder, branch };
    },
    async reply(worker, id, claim, text) {
      const row = await claimed(worker, id, claim);
      await store.transaction(async (tx) => {
        const query = tx.db<WorkTables>().selectFrom('work_tasks').selectAll().where('id', '=', id);
        const current = await tx.locked(query).executeTakeFirst();
        // Once: of two replies under the same claim, the second finds it gone.
        if (current?.claim_hash !== row.claim_hash)
          throw new ToolError('conflict', 'This claim does not hold any more. Claim the work again.');
        const change = { status: 'validating' as const, reply: text, claim_hash: null, lease_until: null };
        await carryOn(parts, tx, current, change);
      });
      return shown(await required(worker, id));
    },
    async fail(worker, id, claim, error) {
      await finish(parts, await claimed(worker, id, claim), 'failed', error);
      return shown(await required(worker, id));
    },
    async cancel(worker, id) {
      const row = await required(worker, id);
      if (!isOpen(row)) throw new ToolError('conflict', `This work has ended already: it is ${row.status}.`);
      if (row.task_id === null) await finish(parts, row, 'cancelled', null);
      else {
        await endWork(parts, row, { status: 'cancelled', error: null });
        const owner = { organizationId: row.organization_id, ownerId: workOwner(row.organization_id).id };
        await tasks.cancel(owner, row.task_id, 'The work was cancelled.');
      }
      return shown(await required(worker, id));
    },
    check,
    async recover() {
      await check();
      for (const taskId of await worktrees.leftovers()) {
        const row = await findWork(store, taskId);
        if (row === undefined) await worktrees.discard(taskId);
        else if (!isOpen(row) && row.repository !== null)
          await worktrees.remove({ taskId, repository: row.repository });
      }
    },
  };

  function rowsOf({ organizationId, agentId }: Worker) {
    return store
      .db<WorkTables>()
      .selectFrom('work_tasks')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('agent_id', '=', agentId)
      .limit(MOST_LISTED);
  }

  async function projectFor(acting: Reaching, wanted: string | undefined): Promise<string> {
    const reached = await projects.reachedBy(acting);
    const project = reached.find(({ id, isDefault }) => (wanted === undefined ? isDefault : id === wanted));
    if (project === undefined && wanted !== undefined)
      throw new ToolError('forbidden', 'project_id: you do not reach such a project');
    if (project === undefined)
      throw new ToolError('no_project', 'You have no default project. Name one as project_id.');
    await projects.requiredCode(project);
    return project.id;
  }
}

function isOffered({ status, task_id: taskId }: WorkTaskRow): boolean {
  return status === 'running' && taskId === null;
}

function mayTake(row: WorkTaskRow, claim: string | undefined, now: number): boolean {
  if (claim !== undefined) return row.claim_hash !== null && isSame(row.claim_hash, hashOf(claim));
  return row.lease_until === null || row.lease_until <= now;
}

/** One agent's tasks of one day are counted under a lock, so that two at once do not both find room. */
async function refuseTooMany(tx: StoreTransaction, { agentId }: Worker, now: number): Promise<void> {
  await tx
    .locked(tx.db<AgentTables>().selectFrom('agents').select('id').where('id', '=', agentId))
    .executeTakeFirst();
  const today = await tx
    .db<WorkTables>()
    .selectFrom('work_tasks')
    .select((count) => count.fn.countAll().as('made'))
    .where('agent_id', '=', agentId)
    .where('created_at', '>=', now - (now % DAY_MS))
    .executeTakeFirstOrThrow();
  if (Number(today.made) >= MOST_PER_DAY)
    throw new ToolError(
      'daily_cap',
      `You may start ${MOST_PER_DAY} work tasks in a day (UTC). Go on tomorrow.`,
    );
}

function newRow(
  { id, at, description, projectId }: { id: string; at: number; description: string; projectId: string },
  acting: Pick<Acting, 'organizationId' | 'agentId' | 'depth' | 'unattended'>,
): WorkTaskRow {
  return {
    id,
    organization_id: acting.organizationId,
    agent_id: acting.agentId,
    project_id: projectId,
    description,
    status: 'pending',
    branch: null,
    repository: null,
    iterations: 0,
    pr_url: null,
    error: null,
    reply: null,
    task_id: null,
    depth: acting.depth,
    unattended: acting.unattended ? 1 : 0,
    claim_hash: null,
    lease_until: null,
    created_at: at,
    updated_at: at,
    finished_at: null,
  };
}

function shown(row: WorkTaskRow): WorkTask {
  const { id, description, status, branch, iterations, error, reply } = row;
  const whose = { agentId: row.agent_id, projectId: row.project_id };
  const when = { createdAt: row.created_at, finishedAt: row.finished_at };
  return { id, ...whose, description, status, branch, iterations, error, reply, ...when };
}

function hashOf(claim: string): string {
  return createHash('sha256').update(claim).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function notFound(): ToolError {
  return new ToolError('not_found', 'Work task not found');
}

/** An id that only the same key of the same agent gives. */
function idOfKey({ organizationId, agentId }: Worker, key: string): string {
  return `work_${hashOf([organizationId, agentId, key].join(' ')).slice(0, 32)}`;
}
