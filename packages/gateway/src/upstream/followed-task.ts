/** A task of an upstream, followed to its end: looked at in its own rhythm, answered when it asks. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientCapabilities, OutsideCall } from '@parley/kit';
import { detach, ProtocolFault, RPC, ToolError } from '@parley/kit';
import { isObject } from '../messages.ts';
import { UpstreamFault } from './link.ts';
import { requiredCapabilitiesIn } from './required-capabilities.ts';

type Result = Readonly<Record<string, unknown>>;

export interface FollowParts {
  /** Asks the upstream; throws what a caller is told. */
  ask(method: 'tasks/get' | 'tasks/update', params: Result): Promise<Result>;
  /** Of the connection. */
  readonly title: string;
  /** How long a call may wait that is no task itself. */
  readonly limitMs: number;
  /** Takes out of words of an upstream whatever looks like a credential. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** What came of it: a result, a question or the task that goes on; or how it failed for good. */
export type Followed = { readonly result: Result } | { readonly failure: Error };

/** The time for one look. */
export const LOOK_MS = 30_000;
const TASKS = 'io.modelcontextprotocol/tasks';
/** The first letter of a state that stands for a task of the upstream. */
const TASK = 't';
/** A task of ours looks so long in one go; then it lets others work. */
const HELD_MS = 30_000;
const SHORTEST_MS = 100;
const LONGEST_MS = 60_000;
const USUAL_MS = 1_000;
const MOST_FAILURES = 5;
const LONGEST_WORDS = 500;
const PASSING = new Set(['unavailable', 'rate_limited', 'timeout']);

/** The id of the task that a call does nothing but follow. */
export function followedIdOf({ followed, requestState }: OutsideCall): string | undefined {
  if (followed !== undefined) return followed.taskId;
  return requestState?.startsWith(TASK) === true ? requestState.slice(TASK.length) : undefined;
}

/** The capabilities with tasks, which are followed here whatever the client can do. */
export function withTasks(capabilities: ClientCapabilities): ClientCapabilities {
  return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS]: {} } };
}

/** True for the refusal of a request that would have become a task. */
export function needsTasks(error: unknown): boolean {
  if (!(error instanceof UpstreamFault) || error.rpc?.code !== RPC.missingCapability) return false;
  const { extensions } = requiredCapabilitiesIn(error.rpc.data);
  return extensions !== undefined && Object.hasOwn(extensions, TASKS);
}

/** True when somebody wanted the end of it; false when only this process stops, or has lost the work to another. */
export function isCancelled({ reason }: AbortSignal): boolean {
  const why: unknown = reason instanceof Error && 'why' in reason ? reason.why : 'cancel';
  return why === 'cancel';
}

/** Looks until the task is over, asks something, or the time for this look is. Rejects while the task goes on. */
export async function followTask(taskId: string, call: OutsideCall, parts: FollowParts): Promise<Followed> {
  const { signal } = call;
  const isInTask = call.taskId !== null;
  const untilMs = performance.now() + (isInTask ? HELD_MS : parts.limitMs);
  signal.throwIfAborted();
  const answers = call.inputResponses ?? {};
  if (Object.keys(answers).length > 0) await parts.ask('tasks/update', { taskId, inputResponses: answers });
  let failures = 0;
  for (let looks = 1; ; looks += 1) {
    let waitMs = USUAL_MS;
    try {
      const task = await parts.ask('tasks/get', { taskId });
      failures = 0;
      const ended = endOf(task, { taskId, answers, isInTask, parts });
      if (ended !== undefined) return ended;
      waitMs = intervalOf(task['pollIntervalMs']);
      tell(call, looks, task['statusMessage']);
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError)) throw error;
      if (error.code === 'invalid') return { failure: forgotten(parts.title) };
      failures += 1;
      if (!PASSING.has(error.code) || failures >= MOST_FAILURES) throw error;
      waitMs = Math.max(retryIn(error), USUAL_MS * 2 ** failures);
    }
    if (performance.now() + waitMs > untilMs) {
      if (isInTask) return { result: { resultType: 'task', taskId, pollIntervalMs: waitMs } };
      throw new ToolError(
        'timeout',
        `${parts.title} was still at work when the time of the call was over. The outcome is unknown: look whether it was done before you try again.`,
        { outcome: 'unknown' },
      );
    }
    await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

interface Look {
  readonly taskId: string;
  readonly answers: Result;
  readonly isInTask: boolean;
  readonly parts: FollowParts;
}

/** How a look ends the waiting; undefined: it goes on. */
function endOf(task: Result, { taskId, answers, isInTask, parts }: Look): Followed | undefined {
  const { title } = parts;
  switch (task['status']) {
    case 'working':
      return undefined;
    case 'input_required': {
      const asked = isObject(task['inputRequests']) ? task['inputRequests'] : {};
      // What was just answered may still be shown for a moment.
      const open = Object.entries(asked).filter(([key]) => !Object.hasOwn(answers, key));
      if (open.length === 0) return undefined;
      const inputRequests = Object.fromEntries(open);
      return { result: { resultType: 'input_required', inputRequests, requestState: TASK + taskId } };
    }
    case 'completed':
      return isObject(task['result'])
        ? { result: task['result'] }
        : { failure: unusable(title, 'a completed task without a result') };
    case 'failed':
      return { failure: failureOf(task['error'], isInTask, parts) };
    case 'cancelled':
      return { failure: new ToolError('upstream_error', `${title} has cancelled its task.`) };
    default:
      return { failure: unusable(title, 'a task with a status that nobody knows') };
  }
}

function failureOf(error: unknown, isInTask: boolean, { title, redact = same }: FollowParts): Error {
  const { code, message } = isObject(error) ? error : {};
  const said = redact(typeof message === 'string' ? message : '').slice(0, LONGEST_WORDS);
  const number = Number.isSafeInteger(code) ? Number(code) : RPC.internalError;
  // A task tells a fault as what it is; a call has only results.
  if (isInTask) return new ProtocolFault(number, `${title}: ${said}`);
  return new ToolError('upstream_error', `${title} answered with error ${number}: ${said}`, {
    upstream: { code: number, message: said },
  });
}

const same = (text: string) => text;

function unusable(title: string, what: string): ToolError {
  return new ToolError('invalid_result', `${title} gave an answer that cannot be used: ${what}.`);
}

function forgotten(title: string): ToolError {
  return new ToolError(
    'unavailable',
    `${title} does not know its task any more. The outcome is unknown: look whether it was done before you try again.`,
    { outcome: 'unknown' },
  );
}

function intervalOf(given: unknown): number {
  if (typeof given !== 'number' || !(given > 0)) return USUAL_MS;
  return Math.min(Math.max(given, SHORTEST_MS), LONGEST_MS);
}

function retryIn({ data }: ToolError): number {
  const told = isObject(data) ? Number(data.retryAfterMs) : NaN;
  return Number.isFinite(told) ? Math.min(told, LONGEST_MS) : 0;
}

/** That it was looked at is all there is to tell of a server that says no more. */
function tell(call: OutsideCall, looks: number, message: unknown): void {
  if (!call.wantsProgress) return;
  const said = typeof message === 'string' ? message.slice(0, LONGEST_WORDS) : undefined;
  detach(
    () => call.progress(looks, undefined, said),
    // A client that does not read its notices misses them, and nothing else.
    () => undefined,
  );
}
