/** One call of a tool: for a client, or as the run of a task. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogTool } from '../catalog/compiled-tool.ts';
import { CallContext } from '../channel/call-context.ts';
import { ToolError, unknownTool } from './errors.ts';
import type { Core, Exchange } from './exchange.ts';
import { failureOf, openRoundTrip, sealState } from './exchange.ts';
import type { Interaction } from '../channel/channel.ts';
import { Leave } from '../channel/channel.ts';
import type { ToolCall } from './middleware.ts';
import { composeHooks } from './middleware.ts';
import type { CallRecord } from './record.ts';
import { hiddenReason } from '../access/resolver.ts';
import { capResult } from './result-size.ts';
import { RoundTrip } from '../channel/rounds.ts';
import type { TaskSeam } from './task-seam.ts';
import type { ToolAnswer } from './tool-answer.ts';
import type { Views } from '../catalog/caller-view.ts';

/** An exchange whose channel is a task. */
export type TaskExchange = Exchange & Required<Pick<Exchange, 'io' | 'task'>>;

/** The two ways to call a tool. */
export interface Calls {
  call(caller: Caller, name: string, args: unknown, exchange: Exchange): Promise<ToolAnswer>;
  run(caller: Caller, name: string, args: unknown, exchange: TaskExchange): Promise<CallToolResult>;
}

/** Creates both over one catalog. */
export function createCalls(catalog: Catalog, views: Views, core: Core): Calls {
  const around = composeHooks(core.middleware.flatMap(({ call }) => (call === undefined ? [] : [call])));

  function resolve(caller: Caller, name: string, exchange: Exchange): CatalogTool {
    const tool = views.of(caller).tool(name, caller);
    if (tool !== undefined) return tool;
    core.observe(denial(catalog, caller, name, exchange));
    throw unknownTool(name);
  }

  function execute(tool: CatalogTool, input: unknown, caller: Caller, exchange: Exchange, io: Interaction) {
    const ctx = new CallContext(caller, tool.services, exchange, io);
    return throughHooks(tool, input, caller, exchange, () => tool.run(input, ctx));
  }

  function throughHooks<Answer extends ToolAnswer>(
    tool: CatalogTool,
    input: unknown,
    caller: Caller,
    exchange: Exchange,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    if (around === undefined) return run();
    const call: ToolCall = {
      tool,
      input,
      caller,
      request: exchange.info,
      taskId: exchange.task?.id ?? null,
    };
    // A hook hands on what it is given; that a task or a question is not a result is no matter to it.
    return around(call, run as () => Promise<CallToolResult>) as Promise<Answer>;
  }

  async function answer(
    tool: CatalogTool,
    args: unknown,
    caller: Caller,
    exchange: Exchange,
    io: Interaction,
  ) {
    const { tasks } = core;
    const isTask = tasks !== undefined && tool.task !== undefined;
    if (isTask) tasks.admit(tool, exchange);
    const input = await checked(tool, args);
    if (isTask) return answerWithTask(tasks, tool, args, input, caller, exchange, io);
    return capResult(await execute(tool, input, caller, exchange, io), core.maxResultBytes);
  }

  async function answerWithTask(
    tasks: TaskSeam,
    tool: CatalogTool,
    args: unknown,
    input: unknown,
    caller: Caller,
    exchange: Exchange,
    io: Interaction,
  ): Promise<ToolAnswer> {
    const { taskId, told, rounds } = io instanceof RoundTrip ? io : NO_ROUNDS;
    // What must be known before the task exists is settled once, not again when its caller comes back for it.
    const ctx = new CallContext(caller, tool.services, exchange, io);
    const prepared = taskId === undefined ? await tool.prepare?.(input, ctx) : undefined;
    const seal = (id: string, last: number | undefined) => {
      const state = { callId: '', answers: {}, taskId: id, rounds: rounds + 1, told: last };
      return sealState(core, state, caller, tool.name, args);
    };
    const call = { tool, args, input, caller, exchange, prepared, taskId, rounds, told, seal };
    if (taskId !== undefined) return tasks.call(call);
    return throughHooks<ToolAnswer>(tool, input, caller, exchange, () => tasks.call(call));
  }

  return {
    async call(caller, name, args, exchange) {
      const started = performance.now();
      const tool = resolve(caller, name, exchange);
      let io: Interaction | undefined;
      let outcome: CallRecord['outcome'] = 'ok';
      let code: string | null = null;
      try {
        io = exchange.io ?? openRoundTrip(core, caller, 'tools/call', name, args, exchange);
        const result = await answer(tool, args, caller, exchange, io);
        if (result.isError) [outcome, code] = ['error', 'tool_error'];
        return result;
      } catch (error) {
        const failure = failureOf(error, io, core, { caller, method: 'tools/call', name, args, exchange });
        ({ outcome, code } = failure.record);
        if ('fault' in failure) throw failure.fault;
        return failure.answer;
      } finally {
        const durationMs = performance.now() - started;
        const { info } = exchange;
        const { toolset } = tool;
        core.observe({ caller, method: 'tools/call', name, toolset, outcome, code, durationMs, info });
      }
    },

    async run(caller, name, args, exchange) {
      const started = performance.now();
      const tool = resolve(caller, name, exchange);
      const record = (outcome: CallRecord['outcome'], code: string | null) => {
        const durationMs = performance.now() - started;
        const { info } = exchange;
        core.observe({
          caller,
          method: 'tools/call',
          name,
          toolset: tool.toolset,
          outcome,
          code,
          durationMs,
          info,
        });
      };
      try {
        const result = await execute(tool, await checked(tool, args), caller, exchange, exchange.io);
        record(result.isError ? 'error' : 'ok', result.isError ? 'tool_error' : null);
        return result;
      } catch (error) {
        // A task that is left for a while has not ended, and one that is stopped from outside is no fault.
        if (exchange.signal().aborted) record('cancelled', null);
        else if (!(error instanceof Leave))
          record('error', error instanceof ToolError ? error.code : 'internal');
        throw error;
      }
    },
  };
}

const NO_ROUNDS = { taskId: undefined, told: undefined, rounds: 0 };

async function checked(tool: CatalogTool, args: unknown): Promise<unknown> {
  const checking = tool.check(args);
  const outcome = checking instanceof Promise ? await checking : checking;
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}

function denial(catalog: Catalog, caller: Caller, name: string, exchange: Exchange): CallRecord {
  const tool = catalog.tools.find((candidate) => candidate.name === name);
  const code = tool === undefined ? 'unknown' : (hiddenReason(tool, caller) ?? 'filtered');
  const toolset = tool?.toolset ?? '';
  const known = { outcome: 'denied', code, method: 'tools/call', name, toolset } as const;
  return { ...known, caller, durationMs: 0, info: exchange.info };
}
