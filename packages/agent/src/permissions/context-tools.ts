/** Permission resolution for a context object: the same steps and the same resolver as for callers with a key. */
import type { Caller } from '@parley/kit';
import { soleCaller } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { AGENT } from '../name.ts';
import type { AgentRow, AgentTables } from '../schema.ts';
import type { SessionSource } from '../session.ts';
import { callSourceOf, isUnattendedSource } from '../session.ts';
import type { AgentTool } from '../tools/sets.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS, defaultsAmong } from '../tools/sets.ts';
import { promptOf } from './given-bundles.ts';
import { heldBy, resolutionOf } from './lookup.ts';
import type { SessionReport } from './permissions.ts';
import { reportOf } from './report.ts';
import { resolveTools } from './resolve.ts';

/** What a context object says about permissions; what is absent is as its type says. */
export interface PermissionContext {
  readonly agentId: string;
  readonly store: Queryable;
  /** Absent: that of the agent. */
  readonly organizationId?: string | undefined;
  /** Absent: somebody who holds the whole toolset. */
  readonly caller?: Caller | undefined;
  /** Absent: not `web`. */
  readonly sessionSource?: SessionSource | undefined;
  readonly sessionId?: string | undefined;
  readonly projectId?: string | undefined;
  /** Absent: 1. */
  readonly depth?: number | undefined;
  /** True: nobody watches. */
  readonly schedulerMode?: boolean | undefined;
  /** A list is used as it is, null is the default set; undefined: as the agent was given. */
  readonly resolvedToolPermissions?: readonly string[] | null | undefined;
  readonly workTaskService?: unknown;
  readonly astParserService?: unknown;
}

/** What came out for a context. */
export interface ResolvedContext extends Omit<SessionReport, 'why'> {
  /** Who calls; undefined when the agent is gone. */
  readonly caller: Caller | undefined;
}

/** The services without which a tool is not registered. */
const NEEDS: Readonly<Record<string, 'workTaskService' | 'astParserService'>> = {
  corvid_create_work_task: 'workTaskService',
  corvid_code_symbols: 'astParserService',
  corvid_find_references: 'astParserService',
};

/** The tools of an agent session: what it has, what is kept from it and why, and what its bundles tell it. */
export function resolveAgentTools(
  ctx: PermissionContext,
  pluginTools: readonly AgentTool[] = [],
): Promise<ResolvedContext> {
  return resolveAmong(ctx, AGENT_TOOLS, pluginTools);
}

/** The same over any built-in tools. */
export async function resolveAmong(
  ctx: PermissionContext,
  builtIn: readonly AgentTool[],
  pluginTools: readonly AgentTool[] = [],
): Promise<ResolvedContext> {
  const all = [...builtIn, ...pluginTools];
  const tools = { registered: () => all.map(({ name }) => name), defaults: defaultsAmong(builtIn) };
  const { resolution, caller } = await decidedFor(ctx, tools);
  const guards = all.map((tool) => ({ ...tool, available: () => isRegistered(ctx, tool.name) }));
  const { unknown = [], bundles = { agent: [], project: [] } } = resolution ?? {};
  return { ...reportOf(guards, caller), unknown, prompt: promptOf(bundles), caller };
}

/** Who acts in a context, held to its tools; undefined when the agent is gone. */
export async function callerOfContext(
  ctx: PermissionContext,
  pluginTools: readonly Pick<AgentTool, 'name'>[],
): Promise<Caller | undefined> {
  const names = [...AGENT_TOOLS, ...pluginTools].map(({ name }) => name);
  const tools = { registered: () => names, defaults: DEFAULT_ALLOWED_TOOLS };
  return (await decidedFor(ctx, tools)).caller;
}

/** The agent of a context, as far as its row tells who it is. */
export function agentOfContext({ store, agentId, organizationId, caller }: PermissionContext) {
  const within = organizationId ?? caller?.organizationId;
  let query = store
    .db<AgentTables>()
    .selectFrom('agents')
    .select(['organization_id as organizationId', 'name'])
    .where('id', '=', agentId);
  if (within !== undefined) query = query.where('organization_id', '=', within);
  return query.executeTakeFirst();
}

async function decidedFor(ctx: PermissionContext, tools: Parameters<typeof resolutionOf>[1]) {
  const resolution = await decided(ctx, tools);
  return { resolution, caller: resolution && callerOf(ctx, resolution.row, heldBy(resolution)) };
}

function isRegistered(ctx: PermissionContext, name: string): boolean {
  const needed = Object.hasOwn(NEEDS, name) ? NEEDS[name] : undefined;
  return needed === undefined || (ctx[needed] !== undefined && ctx[needed] !== null);
}

/** What decides; undefined when it is the agent's to say and there is none. */
async function decided(ctx: PermissionContext, tools: Parameters<typeof resolutionOf>[1]) {
  const { resolvedToolPermissions: base, sessionSource = 'api', projectId } = ctx;
  if (base !== undefined) {
    const given = {
      isWeb: sessionSource === 'web',
      base,
      defaults: tools.defaults,
      bundles: { agent: [], project: [] },
    };
    return { ...given, ...resolveTools({ ...given, registered: tools.registered('') }), row: undefined };
  }
  const row = await rowOf(ctx);
  return row && { ...(await resolutionOf(ctx.store, tools, row, { sessionSource, projectId })), row };
}

function rowOf({ store, agentId, organizationId, caller }: PermissionContext): Promise<AgentRow | undefined> {
  const within = organizationId ?? caller?.organizationId;
  let query = store.db<AgentTables>().selectFrom('agents').selectAll().where('id', '=', agentId);
  if (within !== undefined) query = query.where('organization_id', '=', within);
  return query.executeTakeFirst();
}

function callerOf(ctx: PermissionContext, row: AgentRow | undefined, held: Pick<Caller, 'held'>): Caller {
  const { agentId, caller, sessionSource, schedulerMode = false, depth = 1, sessionId, projectId } = ctx;
  const organizationId = ctx.organizationId ?? caller?.organizationId ?? row?.organization_id ?? '';
  const name = row?.name ?? agentId;
  const whole = { grants: { [AGENT]: ['*'] }, source: 'key' } as const;
  const person: Caller = caller ?? { ...soleCaller(agentId, name, whole), organizationId };
  return {
    ...person,
    source: sessionSource === undefined ? person.source : callSourceOf(sessionSource),
    unattended: schedulerMode || person.unattended || isUnattendedSource(person.source),
    agent: {
      id: agentId,
      name,
      depth,
      source: sessionSource ?? 'api',
      ...(sessionId !== undefined && { sessionId }),
      ...(projectId !== undefined && { projectId }),
    },
    ...held,
  };
}
