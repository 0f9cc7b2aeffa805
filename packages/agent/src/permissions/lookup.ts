/** From a key of an agent to a caller that is held to the agent's tools: what identity asks for each new session. */
import type { AgentBinding, AgentLookup, Identity } from '@parley/identity';
import type { Caller, CallSource } from '@parley/kit';
import { intersectGrants } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import { fromJson } from '@parley/store';
import { keyOfName } from '../name-key.ts';
import { AGENT } from '../name.ts';
import type { AgentRow, AgentTables } from '../schema.ts';
import type { SessionSource } from '../session.ts';
import type { Sessions } from '../services/sessions/sessions.ts';
import { actingOf, sessionSourceOf } from '../session.ts';
import { givenBundles } from './given-bundles.ts';
import type { Resolution } from './resolve.ts';
import { resolveTools } from './resolve.ts';
import type { Deciding } from './why.ts';
import { whyOf } from './why.ts';

/** What an agent keeps in every session: its inbox, its work and what it is told are its own, whatever its tools. */
export const ALWAYS_HELD: readonly string[] = ['inbox', 'inbox_message', 'work', 'prompt'];

/** The tools that there are. */
export interface RegisteredTools {
  /** Those of an organization now, in order. */
  registered(organizationId: string): readonly string[];
  /** Resolves when those of an organization are known; undefined when they are, absent when they always are. */
  ready?(organizationId: string): Promise<void> | undefined;
  /** Those whose calls are refused until their plugin is granted more, each with what to do; absent: none ever is. */
  lacking?(organizationId: string): Promise<ReadonlyMap<string, string>>;
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

/** What is asked of a session to know its tools. */
type SessionOf = Pick<HowActing, 'sessionSource' | 'projectId'>;

/** The steps of resolution for an agent that is there. */
export async function resolutionOf(
  store: Queryable,
  tools: RegisteredTools,
  row: AgentRow,
  how: SessionOf,
): Promise<Resolution & Deciding> {
  const { id: agentId, organization_id: organizationId } = row;
  await tools.ready?.(organizationId);
  const bundles = await givenBundles(store, { organizationId, agentId, projectId: how.projectId });
  const deciding = {
    defaults: tools.defaults,
    isWeb: how.sessionSource === 'web',
    base: row.mcp_tool_permissions === null ? null : fromJson<string[]>(row.mcp_tool_permissions),
    bundles,
  };
  const registered = tools.registered(organizationId);
  return { ...deciding, ...resolveTools({ ...deciding, registered }) };
}

/** What a caller is held to, as callers carry it. */
export function heldBy({ held }: Pick<Resolution, 'held'>): Pick<Caller, 'held'> {
  return held === undefined ? {} : { held: { [AGENT]: [...held, ...ALWAYS_HELD] } };
}

export interface CallerParts {
  readonly store: Store;
  readonly identity: Identity;
  readonly tools: RegisteredTools;
  readonly sessions: Pick<Sessions, 'of'>;
}

export function createAgentCallers({ store, identity, tools, sessions }: CallerParts): AgentCallers {
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
    ...heldBy(await resolutionOf(store, tools, row, how)),
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
      return acting({
        organizationId,
        agentId,
        source,
        sessionSource: sourceOf(caller),
        depth,
        unattended,
        sessionId,
        projectId,
      });
    },
    async named(organizationId, idOrName) {
      const row = await findAgentRow(store, organizationId, idOrName);
      if (row === undefined) return undefined;
      return acting({ ...AS_ITS_KEY, organizationId, agentId: row.id });
    },
    async sessionOf(caller) {
      return caller.agent?.sessionId ?? sessions.of(actingOf(caller));
    },
    async why(caller, tool) {
      const { agent, organizationId } = caller;
      if (agent === undefined || !tools.registered(organizationId).includes(tool)) return undefined;
      const row = await agentRow(store, organizationId, agent.id);
      if (row === undefined) return undefined;
      const session = { sessionSource: sourceOf(caller), projectId: agent.projectId };
      return whyOf(tool, await resolutionOf(store, tools, row, session));
    },
    lack: async ({ organizationId }, tool) => (await tools.lacking?.(organizationId))?.get(tool),
  };
}

const OWN_GRANTS = { [AGENT]: ['*'] };

const AS_ITS_KEY = { source: 'key', sessionSource: 'api', depth: 1, unattended: false } as const;

/** Where the session of an agent came from. */
function sourceOf({ agent }: Caller): SessionSource {
  // Written by `acting` or `bound`, and so one of the words for sources.
  return (agent?.source ?? 'api') as SessionSource;
}

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

/** By id, or by name ignoring case. */
export function findAgentRow(
  from: Queryable,
  organizationId: string,
  idOrName: string,
): Promise<AgentRow | undefined> {
  return from
    .db<AgentTables>()
    .selectFrom('agents')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where((where) => where.or([where('id', '=', idOrName), where('name_key', '=', keyOfName(idOrName))]))
    .executeTakeFirst();
}
