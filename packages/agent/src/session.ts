/** The agent behind a call: who acts, from where, how deep, and whether somebody watches. */
import type { Caller, CallSource, Context } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
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

const CALL_SOURCES: Readonly<Record<SessionSource, CallSource>> = {
  web: 'web',
  api: 'key',
  mcp: 'stdio',
  agent: 'agent',
  schedule: 'schedule',
  webhook: 'webhook',
  remote: 'remote',
  telegram: 'key',
  discord: 'key',
  slack: 'key',
};

/** Every word for where a session came from. */
export const SESSION_SOURCES = Object.keys(CALL_SOURCES) as [SessionSource, ...SessionSource[]];

/** Where the calls of such a session come from. */
export function callSourceOf(source: SessionSource): CallSource {
  return CALL_SOURCES[source];
}

const UNATTENDED: ReadonlySet<string> = new Set<SessionSource>(['schedule', 'webhook', 'remote']);

/** True where nobody watches, whatever else is said; such sources have one word for calls and sessions. */
export function isUnattendedSource(source: SessionSource | CallSource): boolean {
  return UNATTENDED.has(source);
}

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
  // Written by identity's look-up, and so one of the words for sources.
  const source = agent.source as SessionSource;
  return {
    agentId: agent.id,
    name: agent.name,
    organizationId,
    caller,
    source,
    depth: agent.depth,
    unattended: caller.unattended || isUnattendedSource(source),
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

/** The same for a tool that only reads: while the database takes no writes, it goes on without a session that is kept. */
export async function beginReading(ctx: Context<AgentServices>): Promise<Acting> {
  try {
    return await begin(ctx);
  } catch (error) {
    const takesNoWrites =
      error instanceof StoreUnavailableError && (error.reason === 'full' || error.reason === 'readonly');
    if (!takesNoWrites) throw error;
    return actingOf(ctx.caller);
  }
}
