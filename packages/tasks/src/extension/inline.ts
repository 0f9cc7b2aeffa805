/** Waiting for a task inside the call that made it: progress, questions, and the moment to stop waiting. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel, InputRequest, TaskCall } from '@parley/kit';
import { ProtocolFault, RPC } from '@parley/kit';
import type { TaskEngine } from '../engine/engine.ts';
import type { Task, TaskProgress } from '../task.ts';
import { isFinal, ownerOf } from '../task.ts';
import { hasLostConnection } from './client-left.ts';

/** How a wait ended. */
export type Waited =
  | { readonly kind: 'ended'; readonly task: Task }
  | { readonly kind: 'asks'; readonly answer: InputRequiredResult }
  | { readonly kind: 'still_running'; readonly task: Task };

// A client may give up when it is asked for the eleventh time, and would never learn of its task: it gets a handle before.
const MOST_ROUNDS = 9;

/** Waits for the end of the task, up to `limitMs`. */
export async function waitInline(
  tasks: TaskEngine,
  call: TaskCall,
  taskId: string,
  limitMs: number,
): Promise<Waited> {
  const owner = ownerOf(call.caller);
  const { exchange } = call;
  const timeout = AbortSignal.timeout(Math.max(1, limitMs));
  const watcher = new Watcher(tasks, taskId, call, timeout);
  try {
    for (;;) {
      const changed = watcher.next();
      const task = await tasks.get(owner, taskId);
      if (task === undefined) throw new ProtocolFault(RPC.invalidParams, 'Task not found');
      watcher.tell(task);
      if (isFinal(task.status)) return { kind: 'ended', task };
      const mustLeave = timeout.aborted || tasks.closing.aborted || hasLostConnection(exchange);
      if (mustLeave) return { kind: 'still_running', task };
      if (task.status !== 'input_required') await tasks.spending.wait('purpose', 'task', changed);
      else if (exchange.channel !== undefined)
        await tasks.spending.wait('purpose', 'answer', askSession(tasks, call, task));
      else if (call.rounds >= MOST_ROUNDS) return { kind: 'still_running', task };
      else return { kind: 'asks', answer: askByResult(call, task) };
    }
  } finally {
    await watcher.close();
  }
}

/** The answer of a finished task, as the call itself would have given it. */
export function resultOf(task: Task): CallToolResult {
  if (task.status === 'completed') {
    // Stored by us when the tool returned it.
    return task.result as CallToolResult;
  }
  if (task.status === 'failed' && task.error !== null) {
    throw new ProtocolFault(task.error.code, task.error.message, task.error.data);
  }
  const text = `Error: ${task.statusMessage ?? 'The task was cancelled.'}`;
  return { _meta: { 'dev.parley/code': 'cancelled' }, content: [{ type: 'text', text }], isError: true };
}

function askByResult(call: TaskCall, task: Task): InputRequiredResult {
  // The requests were written by us, in wire form.
  const inputRequests = task.inputRequests as NonNullable<InputRequiredResult['inputRequests']>;
  return {
    resultType: 'input_required',
    inputRequests,
    requestState: call.seal(task.id, task.progress?.done ?? call.told),
  };
}

/** Asks a 2025 session in its own way and hands the answers to the task. */
async function askSession(tasks: TaskEngine, call: TaskCall, task: Task): Promise<void> {
  const { channel } = call.exchange;
  if (channel === undefined) return;
  const answers = await Promise.all(
    Object.entries(task.inputRequests).map(async ([key, request]) => {
      // A refusal is an answer too: the tool decides what it means.
      const asked = request as InputRequest; // stored by us, in wire form
      const response = await answerInTime(channel, key, asked).catch(() => refusalOf(asked));
      return [key, response] as const;
    }),
  );
  // The question of a client that has gone stays open for the next client that looks at the task.
  if (call.exchange.signal().aborted) return;
  await tasks.answer(ownerOf(call.caller), task.id, Object.fromEntries(answers));
}

const SAMPLING_MS = 60_000;

/** A person may take their time; a model that has not answered in a minute will not. */
async function answerInTime(channel: Channel, key: string, request: InputRequest): Promise<unknown> {
  const answer = channel.request(key, request);
  if (request.method !== 'sampling/createMessage') return answer;
  const timeout = new AbortController();
  try {
    return await Promise.race([answer, delay(SAMPLING_MS, refusalOf(request), { signal: timeout.signal })]);
  } finally {
    timeout.abort();
  }
}

/** The answer that stands for no answer. */
export function refusalOf(request: InputRequest): unknown {
  if (request.method === 'elicitation/create') return { action: 'cancel' };
  if (request.method === 'roots/list') return { roots: [] };
  return { role: 'assistant', model: 'none', content: { type: 'text', text: '' } };
}

/** Changes and progress of one task while a call waits for it. */
class Watcher {
  readonly #unwatch: () => void;
  readonly #onAbort: () => void;
  readonly #signals: readonly AbortSignal[];
  readonly #report: Channel['progress'];
  readonly #onFault: (error: unknown) => void;
  #wake: (() => void) | undefined;
  #sent: Promise<void> = Promise.resolve();
  #done: number;

  constructor(tasks: TaskEngine, taskId: string, call: TaskCall, timeout: AbortSignal) {
    // What an earlier round has told is no news.
    this.#done = call.told ?? -Infinity;
    this.#report = call.exchange.channel?.progress ?? call.exchange.progress;
    this.#unwatch = tasks.watch(taskId, (change) => {
      if (change.kind === 'changed') this.#wake?.();
      else this.#send(change.progress);
    });
    // A notice to a client that has gone fails, and is missed by nobody.
    this.#onFault = (error) => {
      if (!call.exchange.signal().aborted) tasks.onFault(error, 'task progress');
    };
    this.#onAbort = () => this.#wake?.();
    this.#signals = [timeout, tasks.closing, call.exchange.signal()];
    for (const signal of this.#signals) signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Passes on the stored progress, which is all there is of work in another process. */
  tell({ progress, statusMessage }: Task): void {
    if (progress !== null) this.#send({ ...progress, message: statusMessage });
  }

  /** Stops, and resolves when every progress notice is on its way. */
  close(): Promise<void> {
    this.#unwatch();
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort);
    return this.#sent;
  }

  #send({ done, total, message }: TaskProgress & { readonly message: string | null }): void {
    const report = this.#report;
    if (report === undefined || done <= this.#done) return;
    this.#done = done;
    // One after the other: the order on the wire is the order of the work.
    this.#sent = this.#sent
      .then(() => report(done, total ?? undefined, message ?? undefined))
      .catch((error: unknown) => this.#onFault(error));
  }
}
