/** Calls of tools: for a client, or as the run of a task. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { CatalogTool, Checked } from '../catalog/compiled-tool.ts';
import type { Endpoints } from '../catalog/endpoints.ts';
import type { Core } from './call.ts';
import { CallOfTool } from './call.ts';
import { denialOf } from './denial.ts';
import type { ProtocolFault } from './errors.ts';
import { ERROR_CODE_META_KEY, isSharedError, unknownTool } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { failureOf } from './failure.ts';
import type { ToolCall } from './middleware.ts';
import { composeHooks } from './middleware.ts';
import { offersOf } from '../protocol/capabilities.ts';
import type { CallBody, CallRecord } from './record.ts';
import type { LongResults } from './result-size.ts';
import type { TaskSeam } from './task-seam.ts';
import { badAnswer, followingOf } from './outside.ts';
import type { CreatedTask, ToolAnswer } from './tool-answer.ts';
import { isInputRequired, isToolResult } from './tool-answer.ts';

/** An exchange whose channel is a task. */
export type TaskExchange = Exchange & Required<Pick<Exchange, 'channel' | 'task'>>;

/** A tool that a caller has. Only `find` makes one, so whoever holds it may call it. */
export interface FoundTool {
  readonly tool: CatalogTool;
  /** Errors a model can act on are results, only protocol faults are thrown. */
  call(args: unknown, exchange: Exchange): Promise<ToolAnswer>;
}

/** The ways to a tool. */
export interface ToolCalls {
  /** Looks a tool up once, for whoever has to know it before the call. */
  find(caller: Caller, name: string): FoundTool | undefined;
  /** Calls a tool for a client: errors a model can act on are results, only protocol faults are thrown. */
  call(caller: Caller, name: string, args: unknown, exchange: Exchange): Promise<ToolAnswer>;
  /** Runs a tool inside a task, without a record of its own: whatever it throws comes out as it is. */
  run(caller: Caller, tool: GrantedTool, args: unknown, exchange: TaskExchange): Promise<CallToolResult>;
}

/** A tool by what grants know it by, which is the same at every URL. */
export interface GrantedTool {
  readonly toolset: string;
  readonly name: string;
}

/** Creates them over the endpoints of all organizations. */
export function createToolCalls(endpoints: Endpoints, parts: Core): ToolCalls {
  const core = { ...parts, longResults: parts.longResults && readHere(parts.longResults, endpoints) };
  const { tasks } = core;
  const hooks = core.middleware.flatMap(({ concerns, call }) =>
    call === undefined ? [] : [{ concerns, call }],
  );
  const composed = new WeakMap<
    CatalogTool,
    { around: ReturnType<typeof composeHooks<ToolCall, CallToolResult>> }
  >();
  const viewOf = (caller: Caller) => endpoints.of(caller.organizationId).view(caller);

  /** The denial of a tool that is not there, which looks the same whether it is hidden or unknown. */
  function denied(caller: Caller, name: string, exchange: Exchange): ProtocolFault {
    const { tools } = endpoints.of(caller.organizationId).shown;
    const tool = tools.find((candidate) => candidate.name === name);
    core.observe(denialOf(tool, { caller, method: 'tools/call', name, exchange }));
    return unknownTool(name);
  }

  /** The hooks that stand before a tool, composed once; undefined when there is none, as for most. */
  function hooksOf(tool: CatalogTool) {
    if (hooks.length === 0) return undefined;
    const known = composed.get(tool);
    if (known !== undefined) return known.around;
    const around = composeHooks(
      hooks.flatMap(({ concerns, call }) => (concerns?.(tool) === false ? [] : [call])),
    );
    composed.set(tool, { around });
    return around;
  }

  function throughHooks<Answer extends ToolAnswer>(call: CallOfTool, run: () => Promise<Answer>) {
    const around = hooksOf(call.tool);
    if (around === undefined) return run();
    // A hook hands on what it is given; that a task or a question is not a result is no matter to it.
    return around(call, run as () => Promise<CallToolResult>) as Promise<Answer>;
  }

  async function answerWithTask(seam: TaskSeam, call: CallOfTool): Promise<ToolAnswer> {
    const { tool, args, caller, exchange } = call;
    seam.admit(tool, exchange);
    await check(call);
    const { taskId, told, rounds = 0 } = call.opened ?? {};
    // What must be known before the task exists is settled once, not again when its caller comes back for it.
    const prepared = taskId === undefined ? await tool.prepare?.(call) : undefined;
    const seal = (id: string, last: number | undefined) => call.rounds().sealTask(id, last);
    const { input } = call;
    const handOut = () => {
      call.isHandedOut = true;
    };
    const asked = { tool, args, input, caller, exchange, prepared, taskId, rounds, told, seal, handOut };
    if (taskId !== undefined) return seam.call(asked);
    return throughHooks<ToolAnswer>(call, () => seam.call(asked));
  }

  /** Another server made a task of the call: one of ours follows it, with an id that only its caller knows. */
  async function follow(seam: TaskSeam, call: CallOfTool, task: CreatedTask): Promise<ToolAnswer> {
    const { tool, args, caller, exchange, input } = call;
    call.isHandedOut = true;
    const prepared = followingOf(task);
    const unused = {
      taskId: undefined,
      rounds: 0,
      told: undefined,
      seal: () => '',
      handOut: () => undefined,
    };
    return seam.follow({ tool, args, input, caller, exchange, prepared, ...unused });
  }

  async function serve(call: CallOfTool): Promise<ToolAnswer> {
    let record: Pick<CallRecord, 'outcome' | 'code'> = OK;
    let told: Pick<CallBody, 'answer' | 'message'> = {};
    const { tool, args } = call;
    try {
      call.resume();
      if (tasks !== undefined && isTask(tasks, call)) {
        const answer = await answerWithTask(tasks, call);
        record = endOf(answer, call);
        told = { answer };
        return answer;
      }
      const checking = check(call);
      // Most checks are done by now, and a turn of waiting costs more than they do.
      if (checking !== undefined) await checking;
      const answer = await throughHooks(call, () => tool.run(call));
      if (!isToolResult(answer) && tasks !== undefined) {
        const created = await follow(tasks, call, answer);
        record = endOf(created, call);
        told = { answer: created };
        return created;
      }
      const result = isToolResult(answer) ? call.capped(answer) : answer;
      if (result.isError) record = TOOL_ERROR;
      told = { answer: result };
      return result;
    } catch (error) {
      const failure = failureOf(core.failed(error, FOR_A_CLIENT), call, core, tool);
      ({ record } = failure);
      told = 'fault' in failure ? { message: failure.fault.message } : failure;
      if ('fault' in failure) throw failure.fault;
      return failure.answer;
    } finally {
      call.ended(record, { tool, args, answer: told.answer, message: told.message });
    }
  }

  return {
    find(caller, name) {
      const tool = viewOf(caller).tool(name, caller);
      if (tool === undefined) return undefined;
      return {
        tool,
        call: (args, exchange) => serve(new CallOfTool(core, tool, { caller, args, exchange })),
      };
    },

    async call(caller, name, args, exchange) {
      const loading = endpoints.ready(caller.organizationId);
      if (loading !== undefined) await loading;
      const tool = viewOf(caller).tool(name, caller);
      if (tool === undefined) throw denied(caller, name, exchange);
      return serve(new CallOfTool(core, tool, { caller, args, exchange }));
    },

    async run(caller, { toolset, name }, args, exchange) {
      await endpoints.ready(caller.organizationId);
      const tool = viewOf(caller).granted(toolset, name, caller);
      if (tool === undefined) throw denied(caller, name, exchange);
      const call = new CallOfTool(core, tool, { caller, args, exchange });
      // No record: whoever waits for the end records it as the end of the call, and whoever was handed the task asks it.
      try {
        await check(call);
        const result = await throughHooks(call, () => tool.run(call));
        if (!isToolResult(result)) throw badAnswer('a task inside a task');
        return result;
      } catch (error) {
        throw core.failed(error, { taskId: exchange.task.id });
      }
    },
  };
}

/** Nothing is kept at a URL where no client would be let to read it. */
function readHere(longResults: LongResults, endpoints: Endpoints): LongResults {
  const isRead = ({ organizationId }: Caller) =>
    offersOf(endpoints.of(organizationId).shown).has('resources');
  return {
    ...longResults,
    fitted: async (caller, ...rest) => (isRead(caller) ? longResults.fitted(caller, ...rest) : undefined),
  };
}

const FOR_A_CLIENT = { taskId: null };
const OK = { outcome: 'ok', code: null } as const;
const TOOL_ERROR = { outcome: 'error', code: 'tool_error' } as const;

/** How a call ended that a task did the work of, as it would have ended without one. */
function endOf(answer: ToolAnswer, { tool, isHandedOut }: CallOfTool): Pick<CallRecord, 'outcome' | 'code'> {
  if (isInputRequired(answer)) return { outcome: 'ok', code: 'input_required' };
  if (isHandedOut || !isToolResult(answer)) return { outcome: 'ok', code: 'task' };
  if (answer.isError !== true) return OK;
  const code = answer._meta?.[ERROR_CODE_META_KEY];
  if (code === 'cancelled') return { outcome: 'cancelled', code: null };
  // Another server may write anything there, and a code is a label of metrics.
  const isKnown = typeof code === 'string' && (tool.source === undefined || isSharedError(code));
  return isKnown ? { outcome: 'error', code } : TOOL_ERROR;
}

/** Whether a call becomes a task; one that nobody could follow does not, where the tool says so. */
function isTask(tasks: TaskSeam, call: CallOfTool): boolean {
  const { tool, caller, exchange } = call;
  if (tool.task === undefined) return false;
  if (tool.taskOptions.declaredOnly === true && !call.canFollowTasks) return false;
  return tool.taskOptions.followedOnly !== true || tasks.canFollow(caller, exchange);
}

/** Checks the arguments; they are the call's input from then on. */
function check(call: CallOfTool): Promise<void> | undefined {
  const checked = call.tool.check(call.args, call.caller.id);
  if (checked instanceof Promise) return checked.then((outcome) => takeInput(call, outcome));
  takeInput(call, checked);
  return undefined;
}

function takeInput(call: CallOfTool, checked: Checked): void {
  if (!checked.ok) throw checked.error;
  call.input = checked.value;
}
