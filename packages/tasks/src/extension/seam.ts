/** Which answer a call of a task-capable tool gets, by what its client declared and its caller may call. */
import { hash } from 'node:crypto';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type {
  Caller,
  CatalogComeBack,
  CatalogTool,
  CreatedTask,
  Exchange,
  RequestInfo,
  TaskCall,
  TaskSeam,
} from '@parley/kit';
import { detach, hiddenByPower } from '@parley/kit';
import { isDatabaseError } from '@parley/store';
import type { TaskEngine } from '../engine/engine.ts';
import type { Task, TaskOwner } from '../task.ts';
import { ownerOf } from '../task.ts';
import { getTask } from '../tools/manage.ts';
import { tasksToolset } from '../toolset.ts';
import { hasCancelled } from './client-left.ts';
import { declaresTasks, missingExtension } from './declared.ts';
import { handleOf, handleSchema, waitingHandleOf } from './handle.ts';
import { resultOf, waitInline } from './inline.ts';
import { createTasksExtension } from './methods.ts';
import { kindOf, storedTool } from './tool-kind.ts';
import { wireTask } from './wire.ts';

/** Times of the seam. */
export interface SeamOptions {
  /** A task that ends this quickly is answered with its plain result. */
  readonly graceMs?: number;
  readonly inlineLimitMs?: number;
  readonly inlineLimitWithProgressMs?: number;
  readonly now?: () => number;
  /** What the call came with as its task keeps it, with the span of the call instead of that of its client. */
  traced?(info: RequestInfo): RequestInfo;
}

const GRACE_MS = 50;
const INLINE_MS = 50_000;
const INLINE_WITH_PROGRESS_MS = 10 * 60_000;

export function createTaskSeam(tasks: TaskEngine, options: SeamOptions = {}): TaskSeam {
  const now = options.now ?? tasks.now;
  const graceMs = options.graceMs ?? GRACE_MS;

  async function enqueue(call: TaskCall, idempotencyKey?: string): Promise<Task> {
    const { tool, args, caller, exchange, prepared } = call;
    const { ttlMs } = tool.taskOptions;
    const capabilities = exchange.channel?.capabilities ?? exchange.capabilities ?? {};
    const isFollowed = canFollow(caller, exchange);
    const info = options.traced?.(exchange.info) ?? exchange.info;
    const input = { args, prepared, caller, info, tool: storedTool(tool), isFollowed };
    return tasks.enqueue({
      kind: kindOf(tool),
      input,
      caller,
      capabilities,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(ttlMs !== undefined && { ttlMs }),
    });
  }

  /** The task of a call whose caller comes back for it: the one of before, until its result was given out. */
  async function enqueueOnce(call: TaskCall, comeBack: CatalogComeBack): Promise<Task> {
    const key = workKey(call, comeBack);
    const task = await enqueue(call, key);
    if (!isUseless(task, comeBack)) return task;
    await tasks.release(ownerOf(call.caller), task.id);
    return enqueue(call, key);
  }

  async function declared(call: TaskCall): Promise<CallToolResult | CreatedTask> {
    const task = await enqueue(call);
    const owner = ownerOf(call.caller);
    const answer = async (): Promise<CallToolResult | CreatedTask> => {
      if (call.tool.task === 'allowed') {
        const wait = call.tool.taskOptions.graceMs ?? graceMs;
        const waited = await waitInline(tasks, withoutChannels(call), task.id, wait);
        if (waited.kind === 'ended') return resultOf(waited.task);
      }
      const latest = (await tasks.get(owner, task.id)) ?? task;
      return { ...wireTask(latest, now()), resultType: 'task' };
    };
    return answer().catch(orElse(() => ({ ...wireTask(task, now()), resultType: 'task' as const })));
  }

  async function follow(call: TaskCall): Promise<CreatedTask> {
    const task = await enqueue(call);
    return { ...wireTask(task, now()), resultType: 'task' };
  }

  async function undeclared(call: TaskCall): Promise<CallToolResult | InputRequiredResult> {
    const owner = ownerOf(call.caller);
    const comeBack = comeBackOf(call);
    const make = () => (comeBack === undefined ? enqueue(call) : enqueueOnce(call, comeBack));
    const made = call.taskId === undefined ? await make() : undefined;
    const taskId = made?.id ?? call.taskId ?? '';
    if (call.taskId !== undefined) await tasks.answer(owner, taskId, call.exchange.inputResponses ?? {});
    const forget = whenCancelled(call, () => {
      // The client has gone, so only the log can tell that its task runs on.
      detach(cancel(owner, taskId, comeBack), (error) => tasks.onFault(error, 'task cancel'));
    });
    try {
      const waited = await waitInline(tasks, call, taskId, inlineLimit(call, options)).catch(
        orElse((error) => {
          if (made === undefined) throw error;
          return { kind: 'still_running' as const, task: made };
        }),
      );
      if (waited.kind === 'asks') return waited.answer;
      if (waited.kind === 'still_running') return await leave(call, waited.task);
      // What nobody hears has not been given out.
      if (comeBack !== undefined && !call.exchange.signal().aborted) await letGo(owner, taskId);
      return resultOf(waited.task);
    } finally {
      // Once an answer is out, only an explicit cancel ends the task.
      forget();
    }
  }

  /** The answer to a call whose task goes on. */
  async function leave(call: TaskCall, task: Task): Promise<CallToolResult> {
    const { tool, input, caller } = call;
    call.handOut();
    const comeBack = comeBackOf(call);
    if (comeBack === undefined) return handleOf(tool, input, task, now());
    const answer = comeBack.meanwhile(input, { taskId: task.id, caller });
    return (await answer.catch(orElse(() => undefined))) ?? waitingHandleOf(tool, task, now());
  }

  async function cancel(owner: TaskOwner, taskId: string, comeBack: CatalogComeBack | undefined) {
    // First of all, so that nobody who asks again is given what is being stopped.
    if (comeBack !== undefined) await tasks.release(owner, taskId);
    await tasks.cancel(owner, taskId, 'Cancelled by its client.');
  }

  /** The result is there, and worth more than the mark that it was given out. */
  async function letGo(owner: TaskOwner, taskId: string): Promise<void> {
    await tasks.release(owner, taskId).catch((error: unknown) => tasks.onFault(error, 'task result'));
  }

  return {
    extension: createTasksExtension(tasks, now),
    handleSchema: handleSchema(),
    canFollow,
    admit(tool: CatalogTool, exchange: Exchange) {
      const isModern = exchange.info.era === 'modern';
      if (tool.task === 'required' && isModern && !declaresTasks(exchange)) throw missingExtension();
    },
    call: (call) => (declaresTasks(call.exchange) ? declared(call) : undeclared(call)),
    follow,
  };
}

const FOLLOWER = { toolset: tasksToolset.name, name: getTask.name };

/** Who has neither the extension nor `get_task` never learns what becomes of a task. */
function canFollow(caller: Caller, exchange: Exchange): boolean {
  return declaresTasks(exchange) || hiddenByPower(FOLLOWER, caller) === undefined;
}

function comeBackOf({ tool, caller, exchange }: TaskCall): CatalogComeBack | undefined {
  return canFollow(caller, exchange) ? undefined : tool.comeBack;
}

/** The same for the same work. */
function workKey({ tool, input }: TaskCall, comeBack: CatalogComeBack): string {
  const same = JSON.stringify([storedTool(tool), comeBack.same(input)]);
  return `again:${hash('sha256', same, 'base64url')}`;
}

/** True of a task that has ended in a way that nobody who comes late has any use for. */
function isUseless({ status, result }: Task, comeBack: CatalogComeBack): boolean {
  if (status !== 'completed') return status === 'cancelled';
  // Stored by us when the tool returned it.
  const { structuredContent } = result as CallToolResult;
  return structuredContent !== undefined && comeBack.isStale(structuredContent);
}

/** A task that was made is answered as it is in hand whatever the database says by then: an error would have it made twice. */
function orElse<T>(inHand: (error: unknown) => T): (error: unknown) => T {
  return (error) => {
    if (isDatabaseError(error)) return inHand(error);
    throw error;
  };
}

function inlineLimit({ tool, exchange }: TaskCall, options: SeamOptions): number {
  const hasProgress = (exchange.channel?.progress ?? exchange.progress) !== undefined;
  if (hasProgress) return options.inlineLimitWithProgressMs ?? INLINE_WITH_PROGRESS_MS;
  return tool.taskOptions.inlineLimitMs ?? options.inlineLimitMs ?? INLINE_MS;
}

/** A declared task reports through the extension, not through the call that made it. */
function withoutChannels(call: TaskCall): TaskCall {
  const { channel: _channel, progress: _progress, log: _log, ...exchange } = call.exchange;
  return { ...call, exchange };
}

function whenCancelled({ exchange }: TaskCall, cancel: () => void): () => void {
  const signal = exchange.signal();
  const onAbort = () => {
    if (hasCancelled(exchange)) cancel();
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}
