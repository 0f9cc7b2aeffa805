/** The factory: the MCP server of one agent session, over the same definitions and the same resolver as `/mcp/agent`. */
import type { AnyTool, Caller, CallRecord, Engine, Exchange, OutsideTool } from '@parley/kit';
import {
  createEngine,
  defineToolset,
  install,
  ProtocolFault,
  RPC,
  systemCaller,
  toolsetSource,
} from '@parley/kit';
import { AGENT } from '../name.ts';
import { denialOf } from '../permissions/denials.ts';
import { callerOfContext } from '../permissions/context-tools.ts';
import { agentToolset } from '../toolset.ts';
import { withNames } from './acting-caller.ts';
import type { McpToolContext } from './context.ts';
import { inSession } from './current.ts';
import { AgentInstance } from './instance.ts';
import { servicesOn } from './on-store.ts';
import type { PluginTool } from './plugin-tools.ts';
import { pluginToolsOf } from './plugin-tools.ts';
import { sessionServices } from './session-services.ts';

/** The name that the server says it has. */
const NAME = 'parley-agent';

/** The server of a session, as `mcpServers` of the Claude Agent SDK takes it. */
export interface AgentMcpServer {
  readonly type: 'sdk';
  readonly name: typeof NAME;
  /**
   * `connect(transport)` serves a client over any transport of an MCP SDK, in either era; `close()` ends all of them.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- that SDK names a class of its own MCP package here, and nothing else has its type
  readonly instance: any;
}

/**
 * Creates the server of one agent session. Permissions are read at every list and call. A plugin tool whose name is
 * a built-in's, or that is given twice, throws.
 *
 * @example
 * const parley = createCorvidMcpServer({ agentId, store });
 * query({ prompt, options: { mcpServers: { parley } } });
 */
export function createCorvidMcpServer(
  ctx: McpToolContext,
  pluginTools: readonly PluginTool[] = [],
): AgentMcpServer {
  const given = pluginToolsOf(pluginTools);
  const { host, identity } = servicesOn(ctx.store);
  const engine = sessionEngine(ctx, given);
  const gone = systemCaller(ctx.agentId, ctx.agentId, ctx.organizationId ?? '');
  const whoActs = async () => (await callerOfContext(ctx, given)) ?? gone;
  return {
    type: 'sdk',
    name: NAME,
    instance: new AgentInstance({
      engine: inContext(engine, ctx, gone),
      info: { name: NAME, title: 'Parley agent', version: '0.1.0' },
      unknown: gone,
      whoActs,
      host,
      onFault: (error, where) => ctx.log?.(where, error),
      onClose: () => identity.audit.flush(),
    }),
  };
}

function sessionEngine(ctx: McpToolContext, given: readonly (AnyTool | OutsideTool)[]): Engine {
  const { identity } = servicesOn(ctx.store);
  const { tools, joinedBy: _loaded, ...toolset } = agentToolset;
  const own = defineToolset({ ...toolset, name: AGENT, tools: [...tools, ...given] });
  return createEngine({
    sources: [toolsetSource(install(own, sessionServices(ctx)))],
    middleware: [
      {
        call(call, next) {
          ctx.emitStatus?.(call.tool.definition.title ?? call.tool.name);
          return next();
        },
      },
    ],
    observe(record: CallRecord) {
      const denial = record.method === 'resources/read' ? undefined : denialOf(record);
      if (denial === undefined) return;
      const { caller, name, toolset, info } = record;
      identity.audit.denied({ ...caller, requestId: info.id }, { name, isTool: toolset !== '' }, denial);
    },
    onFault: (error, where) => ctx.log?.(where, error),
  });
}

/** The engine, whose calls are part of the session: its clock and adapters, its signal, and who the agent is. */
function inContext(engine: Engine, ctx: McpToolContext, gone: Caller): Engine {
  const acting = async (caller: Caller) => (await withNames(ctx, caller)) ?? gone;
  const { signal: ended } = ctx;
  const within = (exchange: Exchange): Exchange =>
    ended === undefined
      ? exchange
      : { ...exchange, signal: () => AbortSignal.any([exchange.signal(), ended]) };
  return {
    ...engine,
    list(caller, cursor) {
      // No tools at all would look like an agent that was given none.
      if (caller === gone) throw new ProtocolFault(RPC.invalidParams, noSuchAgent(ctx));
      return engine.list(caller, cursor);
    },
    call: (caller, name, args, exchange) =>
      inSession(ctx, async () => engine.call(await acting(caller), name, args, within(exchange))),
    documents: {
      ...engine.documents,
      read: (caller, uri, exchange) =>
        inSession(ctx, async () => engine.documents.read(await acting(caller), uri, within(exchange))),
    },
  };
}

function noSuchAgent({ agentId }: McpToolContext): string {
  return `There is no agent ${agentId} here, so it has no tools. "parley agents list" shows the ids of those that there are.`;
}
