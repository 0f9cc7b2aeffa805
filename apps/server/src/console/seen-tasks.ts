/** Tasks as screens show them: who began what, how far it is, what it asks and how it ended. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { HttpRefusal } from '@parley/http';
import type { Caller, Exchange } from '@parley/kit';
import { isToolResult, mayAdminister, requestInfo } from '@parley/kit';
import type { SeenTask, TaskStep } from '@parley/tasks';
import { seeTask, seeTasks, TASKS_EXTENSION } from '@parley/tasks';
import { randomUUID } from 'node:crypto';
import { keptJson } from '../redaction/kept-json.ts';
import { secretFields } from '../redaction/secret-names.ts';
import { engineNamed } from './engine-named.ts';
import type { ConsoleParts } from './index.ts';
import { namesOfCallers } from './names.ts';
import { ownersOf } from './task-owners.ts';

type Asking = Pick<ConsoleParts, 'host' | 'gateway'> & { readonly caller: Caller };

/** A task in a list. */
export interface ShownTask {
  readonly id: string;
  readonly title: string;
  readonly toolset: string | null;
  readonly tool: string;
  readonly state: SeenTask['status'];
  readonly progress: { readonly done: number; readonly total: number | null } | null;
  readonly message: string | null;
  readonly owner: { readonly id: string; readonly name: string };
  readonly isOwn: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
}

/** The same in full. */
export interface TaskInFull extends ShownTask {
  readonly steps: readonly TaskStep[];
  /** What it said on its way, the oldest first. */
  readonly said: readonly {
    readonly at: string;
    readonly done: number;
    readonly total: number | null;
    readonly message: string;
  }[];
  /** Questions by their keys, as tools ask them. */
  readonly questions: Readonly<Record<string, unknown>>;
  readonly arguments: unknown;
  readonly result: unknown;
  readonly error: unknown;
  readonly canRunAgain: boolean;
}

/** Whose tasks somebody sees: their own, and everybody's (undefined) when they administer. */
async function seenOwners({ host, caller }: Asking): Promise<string[] | undefined> {
  return mayAdminister(caller) ? undefined : ownersOf(host, caller);
}

/** Those of the owners of tasks that somebody is, or looks after. */
async function ownAmong({ host, caller }: Asking, tasks: readonly SeenTask[]): Promise<ReadonlySet<string>> {
  return new Set(
    await ownersOf(
      host,
      caller,
      tasks.map(({ ownerId }) => ownerId),
    ),
  );
}

/** One page of tasks, newest first unless it is said otherwise. */
export async function tasksFor(
  asking: Asking,
  query: {
    readonly state?: SeenTask['status'] | undefined;
    readonly text?: string | undefined;
    readonly limit: number;
    readonly cursor?: string | undefined;
    readonly order?: 'asc' | 'desc' | undefined;
  },
): Promise<{ items: ShownTask[]; cursor: string | null }> {
  const { host, caller } = asking;
  const { organizationId } = caller;
  const ownerIds = await seenOwners(asking);
  const { state: status, text, limit, cursor } = query;
  const oldestFirst = query.order === 'asc';
  const ownersSaid = text === undefined ? undefined : await ownersNamed(asking, text);
  const found = await seeTasks(
    host.store,
    { organizationId, ownerIds, status, text, ownersSaid, limit, cursor, oldestFirst },
    host.store.now(),
  );
  const names = await namesOfCallers(
    host,
    organizationId,
    found.tasks.map(({ ownerId }) => ownerId),
  );
  const own = await ownAmong(asking, found.tasks);
  return {
    items: found.tasks.map((task) => shown(asking, task, { names, own })),
    cursor: found.nextCursor,
  };
}

const MOST_NAMED = 100;

/** The members with a text in their name, and the keys that have it or are theirs: whose tasks are meant by it. */
async function ownersNamed({ host: { identity }, caller }: Asking, text: string): Promise<string[]> {
  const [members, keys] = await Promise.all([
    identity.pageMembers(caller.organizationId, { text, limit: MOST_NAMED, offset: 0 }),
    identity.listKeys(caller, { all: mayAdminister(caller), text, limit: MOST_NAMED }),
  ]);
  return [...members, ...keys].map(({ id }) => id);
}

/** A task that somebody may see; what they may not see, and what is not there, is refused alike. */
export async function requireTask(asking: Asking, id: string) {
  const { host, caller } = asking;
  const found = await seeTask(host.store, caller.organizationId, id, host.store.now());
  const own = found === undefined ? new Set<string>() : await ownAmong(asking, [found.task]);
  const isVisible = found !== undefined && (mayAdminister(caller) || own.has(found.task.ownerId));
  if (!isVisible) throw new HttpRefusal('NOT_FOUND', 'There is no such task.');
  return { ...found, own };
}

/** One task with all that is known of it. */
export async function taskFor(asking: Asking, id: string): Promise<TaskInFull> {
  const { host, caller } = asking;
  const { task, steps, said, own } = await requireTask(asking, id);
  const names = await namesOfCallers(host, caller.organizationId, [task.ownerId]);
  const base = shown(asking, task, { names, own });
  return {
    ...base,
    steps,
    said: said.map(({ at, ...rest }) => ({ ...rest, at: new Date(at).toISOString() })),
    questions: task.inputRequests,
    arguments: kept(asking, task, task.arguments),
    // What came of somebody else's call is shown as records show it.
    result: base.isOwn || task.result === null ? task.result : kept(asking, task, dataOf(task.result)),
    error: task.error,
    canRunAgain: base.isOwn && task.tool !== null,
  };
}

function shown(
  { host, caller }: Asking,
  task: SeenTask,
  { names, own }: { readonly names: ReadonlyMap<string, string>; readonly own: ReadonlySet<string> },
): ShownTask {
  const tool = task.tool?.name ?? task.kind.replace(/^tool:/, '');
  const known = host
    .engine()
    .catalogFor(caller)
    .tools.find((each) => each.toolset === task.tool?.toolset && (each.granted ?? each.name) === tool);
  const timeOf = (at: number) => new Date(at).toISOString();
  return {
    id: task.id,
    title: known?.definition.title ?? tool,
    toolset: task.tool?.toolset ?? null,
    tool,
    state: task.status,
    progress: task.progress,
    message: task.statusMessage,
    owner: { id: task.ownerId, name: names.get(task.ownerId) ?? task.ownerId },
    isOwn: own.has(task.ownerId),
    createdAt: timeOf(task.createdAt),
    updatedAt: timeOf(task.updatedAt),
    finishedAt: task.finishedAt === null ? null : timeOf(task.finishedAt),
  };
}

/** A value without secrets, and short, as call records keep it. */
function kept({ host, caller }: Asking, { tool }: SeenTask, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const { tools } = host.engine().catalogFor(caller);
  const known = tools.find(
    (each) => each.toolset === tool?.toolset && (each.granted ?? each.name) === tool.name,
  );
  const fields = known === undefined ? new Set<string>() : secretFields(known.definition.inputSchema);
  try {
    return JSON.parse(keptJson(value, { fields, texts: [] }).text);
  } catch {
    return null;
  }
}

function dataOf(result: unknown): unknown {
  const { structuredContent, content } = result as CallToolResult; // stored when the tool returned it
  return structuredContent ?? content;
}

/** Calls the tool of an own task once more with the same arguments; it is a task again, or has ended already. */
export async function runAgain(
  asking: Asking,
  id: string,
): Promise<{ taskId: string | null; result: unknown }> {
  const { gateway, caller } = asking;
  const { task, own } = await requireTask(asking, id);
  if (!own.has(task.ownerId))
    throw new HttpRefusal('FORBIDDEN', 'Only whoever began a task runs it again: its arguments are theirs.');
  if (task.tool === null) throw new HttpRefusal('CONFLICT', 'This task is no call of a tool.');
  const engine = await engineNamed(gateway, caller, { endpoint: task.tool.toolset });
  const exchange: Exchange = {
    info: requestInfo({ id: randomUUID(), era: 'modern', client: 'Parley console' }),
    signal: () => AbortSignal.any([]),
    // It is followed on the screen of tasks, not by waiting for it.
    capabilities: { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } },
  };
  const answer = await engine.call(caller, task.tool.name, task.arguments, exchange);
  const taskId = 'taskId' in answer && typeof answer.taskId === 'string' ? answer.taskId : null;
  return { taskId, result: isToolResult(answer) ? answer : null };
}
