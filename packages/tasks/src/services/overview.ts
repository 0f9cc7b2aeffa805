/** Tasks of a whole organization, for people who look after it: in pages, one in full, and where some belong. */
import type { Queryable } from '@parley/store';
import { fromJson, isAmong } from '@parley/store';
import { sql } from 'kysely';
import { decodeCursor, encodeCursor } from '../engine/list.ts';
import { statusOf, toTask } from '../engine/rows.ts';
import type { Said } from '../engine/said.ts';
import { saidBy } from '../engine/said.ts';
import type { TaskRow, TaskStepRow, TaskTables } from '../schema.ts';
import type { Task, TaskOwner, TaskStatus } from '../task.ts';

/** A task with what its call brought, as far as it is stored. */
export interface SeenTask extends Task {
  /** What was called: the tool as grants know it; null for work that is no tool's. */
  readonly tool: { readonly toolset: string; readonly name: string } | null;
  readonly arguments: unknown;
}

/** Which tasks. */
export interface OverviewQuery {
  readonly organizationId: string;
  /** Only those of these owners; absent: of all callers. */
  readonly ownerIds?: readonly string[] | undefined;
  readonly status?: TaskStatus | undefined;
  /** A part of the tool's name, with spaces or not, or of what the task says; or it belongs to one of `ownersSaid`. */
  readonly text?: string | undefined;
  /** Whose names have the text in them. */
  readonly ownersSaid?: readonly string[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** True: the same index, read from its other end. */
  readonly oldestFirst?: boolean | undefined;
}

/** What a task has behind it. */
export interface TaskStep {
  readonly key: string;
  readonly kind: 'step' | 'sleep';
  readonly isDone: boolean;
  readonly attempts: number;
}

/** How the owners of the system's own work are called. */
const SYSTEM = 'system_%';

function visibleRows(from: Queryable, organizationId: string, now: number) {
  return from
    .db<TaskTables>()
    .selectFrom('tasks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('owner_id', 'not like', SYSTEM)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]));
}

/** Newest first unless it is said otherwise, in pages that neither skip nor repeat; what has expired since is left out. */
export async function seeTasks(
  from: Queryable,
  query: OverviewQuery,
  now: number,
): Promise<{ tasks: SeenTask[]; nextCursor: string | null }> {
  const { organizationId, limit, oldestFirst = false } = query;
  const order = oldestFirst ? 'asc' : 'desc';
  // Places first, from the index alone: rows hold what calls brought, and most of them are not on the page.
  const places = await placesOf(from, query);
  const page = places.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = places.length > limit && last !== undefined ? encodeCursor(last) : null;
  const ids = page.map(({ id }) => id);
  const rows =
    ids.length === 0
      ? []
      : await visibleRows(from, organizationId, now)
          .where(isAmong(from.engine, sql.ref('id'), ids))
          .orderBy('created_at', order)
          .orderBy('id', order)
          .execute();
  return { tasks: rows.map((row) => seen(row, [])), nextCursor };
}

function placesOf(from: Queryable, wanted: OverviewQuery) {
  const { organizationId, ownerIds, status, limit, cursor, text, ownersSaid = [] } = wanted;
  const [order, beyond] = wanted.oldestFirst === true ? (['asc', '>'] as const) : (['desc', '<'] as const);
  let query = from
    .db<TaskTables>()
    .selectFrom('tasks')
    .select(['id', 'created_at'])
    .where('organization_id', '=', organizationId)
    .where('owner_id', 'not like', SYSTEM)
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(limit + 1);
  if (ownerIds !== undefined) query = query.where(isAmong(from.engine, sql.ref('owner_id'), ownerIds));
  if (text !== undefined) {
    const plain = text.toLowerCase();
    const like = `%${plain.replaceAll(/[!%_]/g, '!$&')}%`;
    // A title is the name with spaces for its lines; `_` fits both.
    const named = `%${plain.replaceAll(/[!%]/g, '!$&').replaceAll(' ', '_')}%`;
    const owned = isAmong(from.engine, sql.ref('owner_id'), ownersSaid);
    query = query.where(
      sql<boolean>`(lower(kind) like ${named} escape '!' or lower(status_message) like ${like} escape '!' or ${owned})`,
    );
  }
  if (status === 'working') query = query.where('state', 'in', ['ready', 'running']);
  else if (status === 'input_required') query = query.where('state', '=', 'asking');
  else if (status !== undefined) query = query.where('outcome', '=', status);
  if (cursor !== undefined) {
    const { at, id } = decodeCursor(cursor);
    query = query.where((where) =>
      where.or([
        where('created_at', beyond, at),
        where.and([where('created_at', '=', at), where('id', beyond, id)]),
      ]),
    );
  }
  return query.execute();
}

/** One task with its open questions, its steps and what it said; undefined when the organization has none of this id. */
export async function seeTask(
  from: Queryable,
  organizationId: string,
  id: string,
  now: number,
): Promise<{ task: SeenTask; steps: TaskStep[]; said: Said[] } | undefined> {
  const row = await visibleRows(from, organizationId, now).where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const db = from.db<TaskTables>();
  const open = await db
    .selectFrom('task_inputs')
    .select(['input_key', 'request'])
    .where('task_id', '=', id)
    .where('response', 'is', null)
    .orderBy('position')
    .execute();
  const steps = await db
    .selectFrom('task_steps')
    .select(['step_key', 'kind', 'outcome', 'attempts'])
    .where('task_id', '=', id)
    .orderBy('position')
    .orderBy('step_key')
    .limit(MOST_STEPS)
    .execute();
  return { task: seen(row, open), steps: steps.map(stepOf), said: await saidBy(from, id) };
}

const MOST_STEPS = 1000;

function stepOf({
  step_key: key,
  kind,
  outcome,
  attempts,
}: Pick<TaskStepRow, 'step_key' | 'kind' | 'outcome' | 'attempts'>): TaskStep {
  return { key, kind, isDone: outcome !== null, attempts };
}

function seen(row: TaskRow, open: Parameters<typeof toTask>[1]): SeenTask {
  const { args, tool } = fromJson<{ args?: unknown; tool?: SeenTask['tool'] }>(row.input) ?? {};
  return { ...toTask(row, open), tool: tool ?? null, arguments: args ?? null };
}

/** How many tasks of these owners wait for an answer. */
export async function countAsking(
  from: Queryable,
  { organizationId, ownerIds }: Pick<OverviewQuery, 'organizationId' | 'ownerIds'>,
  now: number,
): Promise<number> {
  // As a literal, so that the planner sees that the index of those fits.
  let query = visibleRows(from, organizationId, now).clearSelect().where('state', '=', sql.lit('asking'));
  if (ownerIds !== undefined) query = query.where(isAmong(from.engine, sql.ref('owner_id'), ownerIds));
  const row = await query
    .select((select) => select.fn.countAll<number | string>().as('total'))
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

/** Where tasks belong, and what they are; those that are gone are left out. */
export async function placesOfTasks(
  from: Queryable,
  ids: readonly string[],
): Promise<(TaskOwner & { readonly id: string; readonly kind: string; readonly status: TaskStatus })[]> {
  if (ids.length === 0) return [];
  const rows = await from
    .db<TaskTables>()
    .selectFrom('tasks')
    .select(['id', 'organization_id', 'owner_id', 'kind', 'state', 'outcome'])
    .where(isAmong(from.engine, sql.ref('id'), ids))
    .execute();
  return rows.map(({ id, organization_id: organizationId, owner_id: ownerId, kind, ...row }) => {
    return { id, organizationId, ownerId, kind, status: statusOf(row) };
  });
}
