/** Who acts in a session at this moment: the agent, held to the tools that it has now. */
import type { Caller } from '@parley/kit';
import { agentOfContext, callerOfContext } from '../permissions/context-tools.ts';
import type { AgentTool } from '../tools/sets.ts';
import type { McpToolContext } from './context.ts';

/** Undefined when there is no such agent. */
export async function actingCaller(
  ctx: McpToolContext,
  pluginTools: readonly Pick<AgentTool, 'name'>[],
): Promise<Caller | undefined> {
  const caller = await callerOfContext(ctx, pluginTools);
  return caller && withNames(ctx, caller);
}

/** A context that brings its permissions is listed without its row, which says where the agent acts and as whom. */
export async function withNames(ctx: McpToolContext, caller: Caller): Promise<Caller | undefined> {
  const { agent } = caller;
  if (agent === undefined || ctx.resolvedToolPermissions === undefined) return caller;
  const known = await agentOfContext(ctx);
  if (known === undefined) return undefined;
  const { organizationId, name } = known;
  return { ...caller, name: ctx.caller?.name ?? name, organizationId, agent: { ...agent, name } };
}
