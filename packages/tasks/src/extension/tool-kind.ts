/** A tool as a kind of task: entered again from the top until it returns. */
import type { Caller, CatalogTool, Engine, RequestInfo } from '@parley/kit';
import { errorResult, followedIn, noChannel, ProtocolFault, ToolError } from '@parley/kit';
import type { Ending } from '../engine/finish.ts';
import type { Kind, TaskRun } from '../engine/kinds.ts';
import { TaskStopped } from '../engine/kinds.ts';

/** What is stored of the call that made a task. */
interface ToolInput {
  readonly args: unknown;
  readonly prepared: unknown;
  readonly caller: Caller;
  readonly info: RequestInfo;
  /** The tool by what grants know it by: a kind has no room for the toolset. Absent in tasks of older releases. */
  readonly tool?: GrantedTool;
  /** Whether the caller can follow the task. Absent in tasks of older releases. */
  readonly isFollowed?: boolean;
}

type GrantedTool = Parameters<Engine['run']>[1];

/** The kind of every tool that comes and goes while the server runs, and so cannot be a kind of its own. */
const OF_A_SOURCE = 'source-tool';

/** Looks up what a caller may do now; undefined when it may do nothing any more. */
export type CurrentCaller = (caller: Caller) => Promise<Caller | undefined>;

export function kindOf({ name, granted = name, source }: NamedTool): string {
  return source === undefined ? `tool:${granted}` : OF_A_SOURCE;
}

/** What has to be stored of a tool so that it is found again. */
export function storedTool({ toolset, name, granted = name }: CatalogTool): GrantedTool {
  return { toolset, name: granted };
}

type NamedTool = Pick<CatalogTool, 'name'> & Partial<Pick<CatalogTool, 'granted' | 'source'>>;

/** The kinds of every tool that may run as a task. */
export function toolKinds(engine: Engine, current: CurrentCaller): Kind[] {
  const running =
    (otherwise: GrantedTool): Kind['run'] =>
    (input, run) => {
      const stored = input as ToolInput; // by the seam, when the call came
      return runTool(engine, stored.tool ?? otherwise, stored, run, current);
    };
  const own = engine.common.tools.filter(({ task, source }) => task !== undefined && source === undefined);
  const kinds = own.map((tool): Kind => ({
    kind: kindOf(tool),
    version: tool.taskOptions.version ?? 1,
    run: running(tool),
    async givenUp(input, taskId) {
      const { args, caller } = input as ToolInput; // by the seam, when the call came
      const checked = await tool.check(args);
      if (!checked.ok) return undefined;
      const error = await tool.comeBack?.givenUp(checked.value, { taskId, caller });
      return error && { outcome: 'completed', result: errorResult(error) };
    },
  }));
  const ofSources: Kind = {
    kind: OF_A_SOURCE,
    version: 1,
    run: running({ toolset: '', name: '' }),
    async cancelled(input, taskId) {
      const stored = input as ToolInput; // by the seam, when the call came
      if (stored.tool !== undefined && followedIn(stored.prepared) !== undefined)
        await enterCancelled(engine, stored.tool, stored, { taskId, current });
    },
  };
  return [...kinds, ofSources];
}

/** Enters a tool that follows a task of another server once more, only to be told that it is cancelled. */
async function enterCancelled(
  engine: Engine,
  tool: GrantedTool,
  { caller: maker, args, prepared, info, isFollowed = true }: ToolInput,
  { taskId, current }: { readonly taskId: string; readonly current: CurrentCaller },
): Promise<void> {
  const caller = await current(maker);
  if (caller === undefined) return;
  const stopped = AbortSignal.abort(new TaskStopped('cancel', 'The task was cancelled.'));
  const task = { id: taskId, prepared, isFollowed };
  const exchange = { info, signal: () => stopped, channel: noChannel(), task };
  try {
    await engine.run(caller, tool, args, exchange);
  } catch (error) {
    // That it ends by being stopped is what was wanted, and a tool that is gone has nobody to tell.
    const isWanted = error === stopped.reason || error instanceof ToolError || error instanceof ProtocolFault;
    if (!isWanted) throw error;
  }
}

async function runTool(
  engine: Engine,
  tool: GrantedTool,
  input: ToolInput,
  run: TaskRun,
  current: CurrentCaller,
): Promise<Ending> {
  // Rights are those of now, not of when the task was made.
  const caller = await current(input.caller);
  if (caller === undefined)
    return failed(new ProtocolFault(-32603, 'The caller of this task no longer has access'));
  const { io, signal, taskId } = run;
  const { prepared, info, isFollowed = true } = input;
  try {
    const task = { id: taskId, prepared, isFollowed };
    const exchange = { info, signal: () => signal, channel: io, task };
    return { outcome: 'completed', result: await engine.run(caller, tool, input.args, exchange) };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof ToolError) return { outcome: 'completed', result: errorResult(error) };
    if (error instanceof ProtocolFault) return failed(error);
    throw error;
  }
}

function failed({ code, message, data }: ProtocolFault): Ending {
  return { outcome: 'failed', error: { code, message, ...(data !== undefined && { data }) } };
}
