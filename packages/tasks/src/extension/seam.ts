/** Which answer a call of a task-capable tool gets, by what its client declared. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { CatalogTool, CreatedTask, Exchange, TaskCall, TaskSeam } from '@parley/kit';
import { detach } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import type { TaskEngine } from '../engine/engine.ts';
import type { Task } from '../task.ts';
import { ownerOf } from '../task.ts';
import { hasCancelled } from './client-left.ts';
import { declaresTasks, missingExtension } from './declared.ts';
import { handleOf, handleSchema } from './handle.ts';
import { waitInline } from './inline.ts';
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
}

const GRACE_MS = 50;
const INLINE_MS = 50_000;
const INLINE_WITH_PROGRESS_MS = 10 * 60_000;

export function createTaskSeam(tasks: TaskEngine, options: SeamOptions = {}): TaskSeam {
  const now = options.now ?? Date.now;
  const graceMs = options.graceMs ?? GRACE_MS;

  async function enqueue({ tool, args, caller, exchange, prepared }: TaskCall): Promise<Task> {
    const { ttlMs } = tool.taskOptions;
    const capabilities = exchange.channel?.capabilities ?? exchange.capabilities ?? {};
    const input = { args, prepared, caller, info: exchange.info, tool: storedTool(tool) };
    return tasks.enqueue({
      kind: kindOf(tool),
      input,
      caller,
      capabilities,
      ...(ttlMs !== undefined && { ttlMs }),
    });
  }

  async function declared(call: TaskCall): Promise<CallToolResult | CreatedTask> {
    const task = await enqueue(call);
    const owner = ownerOf(call.caller);
    const answer = async (): Promise<CallToolResult | CreatedTask> => {
      if (call.tool.task === 'allowed') {
        const waited = await waitInline(tasks, withoutChannels(call), task.id, graceMs);
        if (waited.kind === 'result') return waited.result;
      }
      const latest = (await tasks.get(owner, task.id)) ?? task;
      return { ...wireTask(latest, now()), resultType: 'task' };
    };
    return answer().catch(orElse(() => ({ ...wireTask(task, now()), resultType: 'task' as const })));
  }

  async function undeclared(call: TaskCall): Promise<CallToolResult | InputRequiredResult> {
    const owner = ownerOf(call.caller);
    const made = call.taskId === undefined ? await enqueue(call) : undefined;
    const taskId = made?.id ?? call.taskId ?? '';
    if (call.taskId !== undefined) await tasks.answer(owner, taskId, call.exchange.inputResponses ?? {});
    const forget = whenCancelled(call, () => {
      const cancelling = tasks.cancel(owner, taskId, 'Cancelled by its client.');
      // The client has gone, so only the log can tell that its task runs on.
      detach(cancelling, (error) => tasks.onFault(error, 'task cancel'));
    });
    try {
      const waited = await waitInline(tasks, call, taskId, inlineLimit(call, options)).catch(
        orElse((error) => {
          if (made === undefined) throw error;
          return { kind: 'still_running' as const, task: made };
        }),
      );
      if (waited.kind === 'result') return waited.result;
      if (waited.kind === 'asks') return waited.answer;
      return handleOf(call.tool, call.input, waited.task, now());
    } finally {
      // Once an answer is out, only an explicit cancel ends the task.
      forget();
    }
  }

  return {
    extension: createTasksExtension(tasks, now),
    handleSchema: handleSchema(),
    admit(tool: CatalogTool, exchange: Exchange) {
      const isModern = exchange.info.era === 'modern';
      if (tool.task === 'required' && isModern && !declaresTasks(exchange)) throw missingExtension();
    },
    call: (call) => (declaresTasks(call.exchange) ? declared(call) : undeclared(call)),
  };
}

/** A task that was made is answered as it is in hand when the database is away: an error would have it made twice. */
function orElse<T>(inHand: (error: unknown) => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof StoreUnavailableError) return inHand(error);
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
