/** The agent behind a call: who acts, from where, how deep, and whether somebody watches. */
import type { Caller, CallSource, Context } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { AgentServices } from './services/index.ts';

/** Where a session of an agent came from, in the words that people see. */
export type SessionSource =
  | 'web'
  | 'agent'
  | 'mcp'
  | 'api'
  | 'schedule'
  | 'webhook'
  | 'remote'
  | 'telegram'
  | 'discord'
  | 'slack';

const SOURCES: Readonly<Record<CallSource, SessionSource>> = {
  web: 'web',
  key: 'api',
  stdio: 'mcp',
  cli: 'mcp',
  agent: 'agent',
  schedule: 'schedule',
  webhook: 'webhook',
  remote: 'remote',
};

/** The word for where a caller comes from. */
export function sessionSourceOf(source: CallSource): SessionSource {
  return SOURCES[source];
}

const UNATTENDED: ReadonlySet<string> = new Set<SessionSource>(['schedule', 'webhook', 'remote']);

/** The agent that acts, as its tools see it. */
export interface Acting {
  readonly agentId: string;
  readonly name: string;
  readonly organizationId: string;
  readonly caller: Caller;
  readonly source: SessionSource;
  readonly depth: number;
  readonly unattended: boolean;
  readonly sessionId: string | undefined;
  readonly projectId: string | undefined;
}

/** The agent behind a caller; only callers that act as one have the tools that ask. */
export function actingOf(caller: Caller): Acting {
  const { agent, organizationId } = caller;
  if (agent === undefined) throw new ToolError('forbidden', 'Only an agent can do this.');
  return {
    agentId: agent.id,
    name: agent.name,
    organizationId,
    caller,
    // Written by identity's look-up, and so one of the words for sources.
    source: agent.source as SessionSource,
    depth: agent.depth,
    unattended: caller.unattended || UNATTENDED.has(agent.source),
    sessionId: agent.sessionId,
    projectId: agent.projectId,
  };
}

/** What every tool begins with. */
export async function begin({ caller, services }: Context<AgentServices>): Promise<Acting> {
  const acting = actingOf(caller);
  if (acting.sessionId !== undefined) return acting;
  return { ...acting, sessionId: await services.sessions.of(acting) };
}
