/** From a key of an agent to a caller that is held to the agent's tools: what identity asks for each new session. */
import type { AgentBinding, AgentLookup, Identity } from '@parley/identity';
import type { Caller, CallSource } from '@parley/kit';
import { intersectGrants } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import { fromJson } from '@parley/store';
import { AGENT } from '../name.ts';
import type { AgentRow, AgentTables } from '../schema.ts';
import type { SessionSource } from '../session.ts';
import { sessionSourceOf } from '../session.ts';
import { resolveTools } from './resolve.ts';

/** What an agent keeps in every session: its inbox and its work are its own, whatever its tools. */
export const ALWAYS_HELD: readonly string[] = ['inbox', 'inbox_message', 'work'];

/** The tools that there are. */
export interface RegisteredTools {
  /** Those of an organization now, in order. */
  registered(organizationId: string): readonly string[];
  /** Resolves when those of an organization are known; undefined when they are. */
  ready(organizationId: string): Promise<void> | undefined;
  readonly defaults: readonly string[];
}

/** How an agent acts when no key says it. */
export interface HowActing {
  readonly organizationId: string;
  readonly agentId: string;
  readonly source: CallSource;
  readonly sessionSource: SessionSource;
  readonly depth: number;
  readonly unattended: boolean;
  readonly sessionId?: string | undefined;
  readonly projectId?: string | undefined;
}

/** Agents as callers. */
export interface AgentCallers extends AgentLookup {
  /** The agent as it acts without a key, such as in a scheduled run; undefined when it, or its person, is gone. */
  acting(how: HowActing): Promise<Caller | undefined>;
}

export function createAgentCallers(store: Store, identity: Identity, tools: RegisteredTools): AgentCallers {
  const held = async (row: AgentRow, how: Pick<HowActing, 'sessionSource' | 'projectId'>) => {
    await tools.ready(row.organization_id);
    const bundles = await bundlesOf(store, row, how.projectId);
    const resolution = resolveTools({
      registered: tools.registered(row.organization_id),
      defaults: tools.defaults,
      isWeb: how.sessionSource === 'web',
      base: row.mcp_tool_permissions === null ? null : fromJson<string[]>(row.mcp_tool_permissions),
      ...bundles,
    });
    return resolution.held && { held: { [AGENT]: [...resolution.held, ...ALWAYS_HELD] } };
  };
  const asAgent = async (
    caller: Caller,
    row: AgentRow,
    how: Omit<HowActing, 'agentId' | 'organizationId'>,
  ) => ({
    ...caller,
    source: how.source,
    unattended: how.unattended,
    agent: {
      id: row.id,
      name: row.name,
      depth: how.depth,
      source: how.sessionSource,
      ...(how.sessionId !== undefined && { sessionId: how.sessionId }),
      ...(how.projectId !== undefined && { projectId: how.projectId }),
    },
    ...(await held(row, how)),
  });
  const acting = async (how: HowActing) => {
    const row = await agentRow(store, how.organizationId, how.agentId);
    if (row === undefined) return undefined;
    const member = await identity.memberOf(how.organizationId, row.user_id);
    const person = member && (await identity.callerOfMember(how.organizationId, member.id));
    if (person === undefined) return undefined;
    const own = { ...person, id: row.id, name: row.name, grants: intersectGrants(person.grants, OWN_GRANTS) };
    return asAgent(own, row, how);
  };
  return {
    acting,
    async bound(caller, binding) {
      const row = await agentRow(store, caller.organizationId, binding.agentId);
      if (row === undefined) return undefined;
      return asAgent(caller, row, howBound(caller, binding));
    },
    current: (caller) => {
      const { agent, organizationId, source, unattended } = caller;
      if (agent === undefined) return Promise.resolve(undefined);
      const { id: agentId, depth, sessionId, projectId } = agent;
      // Written by `acting`, and so one of the words for sources.
      const sessionSource = agent.source as SessionSource;
      return acting({
        organizationId,
        agentId,
        source,
        sessionSource,
        depth,
        unattended,
        sessionId,
        projectId,
      });
    },
  };
}

const OWN_GRANTS = { [AGENT]: ['*'] };

function howBound({ source }: Caller, binding: AgentBinding): Omit<HowActing, 'agentId' | 'organizationId'> {
  const from = binding.source ?? source;
  const { depth = 1, unattended = false, sessionId, projectId } = binding;
  return { source: from, sessionSource: sessionSourceOf(from), depth, unattended, sessionId, projectId };
}

export function agentRow(
  from: Queryable,
  organizationId: string,
  agentId: string,
): Promise<AgentRow | undefined> {
  return from
    .db<AgentTables>()
    .selectFrom('agents')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .executeTakeFirst();
}

/** The tools of the bundles of an agent and of its project, each in their order. */
async function bundlesOf(store: Store, { id, organization_id }: AgentRow, projectId: string | undefined) {
  const db = store.db<AgentTables>();
  const agents = await db
    .selectFrom('agent_skills')
    .innerJoin('skill_bundles', 'skill_bundles.id', 'agent_skills.bundle_id')
    .select('skill_bundles.tools as tools')
    .where('agent_skills.agent_id', '=', id)
    .where('agent_skills.organization_id', '=', organization_id)
    .orderBy('agent_skills.sort_order')
    .orderBy('skill_bundles.id')
    .execute();
  const projects =
    projectId === undefined
      ? []
      : await db
          .selectFrom('project_skills')
          .innerJoin('skill_bundles', 'skill_bundles.id', 'project_skills.bundle_id')
          .select('skill_bundles.tools as tools')
          .where('project_skills.project_id', '=', projectId)
          .where('project_skills.organization_id', '=', organization_id)
          .orderBy('project_skills.sort_order')
          .orderBy('skill_bundles.id')
          .execute();
  const toolsOf = ({ tools }: { tools: string }) => fromJson<string[]>(tools);
  return { agentBundles: agents.map(toolsOf), projectBundles: projects.map(toolsOf) };
}
