/** What lies outside, for agents: web search, GitHub, and agents of other servers in both directions. */
import type { GitHub } from '../../adapters/github/github.ts';
import { createOctokitGitHub } from '../../adapters/github/octokit.ts';
import { isOn } from '../../adapters/on-off.ts';
import { operatorBase } from '../../adapters/outbound.ts';
import type { RemoteAgents } from '../../adapters/remote-agents/remote-agents.ts';
import { createRemoteAgents } from '../../adapters/remote-agents/remote-agents.ts';
import { createBraveSearch, SEARCH_URL } from '../../adapters/search/brave.ts';
import type { SearchProvider } from '../../adapters/search/search.ts';
import type { AgentCallers } from '../../permissions/lookup.ts';
import type { AgentHost } from '../../toolset.ts';
import type { Agents } from '../agents.ts';
import type { GitHubDesk } from './github.ts';
import { createGitHubDesk } from './github.ts';
import type { Deliver, InboundParts, InboundTasks } from './inbound.ts';
import { createInboundTasks } from './inbound.ts';
import type { RemoteDesk, RemoteParts } from './remote.ts';
import { createRemoteDesk } from './remote.ts';
import type { WebSearch } from './search.ts';
import { createWebSearch } from './search.ts';
import { createUses } from './uses.ts';

export interface Outside {
  readonly search: WebSearch;
  readonly github: GitHubDesk;
  readonly remote: RemoteDesk;
  /** Undefined: this server offers no agent to others. */
  readonly inbound: InboundTasks | undefined;
}

/** What other parts of the server bring, and what a test may choose; by default what the settings say. */
export interface OutsideOptions extends Partial<
  Pick<RemoteParts, 'recordViolation' | 'pollMs'> & Pick<InboundParts, 'runner'>
> {
  readonly searchProvider?: SearchProvider;
  readonly github?: GitHub;
  readonly remoteAgents?: RemoteAgents;
  /** How long to wait before each further try of a read. */
  readonly retryDelaysMs?: readonly number[];
}

export interface OutsideParts {
  readonly host: Pick<AgentHost, 'store' | 'identity' | 'tasks' | 'egress' | 'settings'>;
  readonly agents: Agents;
  readonly callers: AgentCallers;
  readonly deliver: Deliver;
  readonly now: () => number;
}

const GITHUB_URL = 'https://api.github.com';
const POLL_MS = 3000;

export function createOutside(parts: OutsideParts, options: OutsideOptions = {}): Outside {
  const { host, now } = parts;
  const { settings } = host;
  const uses = createUses(host.store, now);
  const isRemoteOn = isOn('remote-agents', settings.remoteAgents, true);
  return {
    search: createWebSearch(options.searchProvider ?? searchOf(host), uses),
    github: createGitHubDesk(
      options.github ?? githubOf(parts, options),
      {
        allowedOwners: settings.githubAllowedOwners ?? [],
        deny: settings.githubDeny ?? [],
        hasFooter: isOn('github-footer', settings.githubFooter, true),
      },
      uses,
    ),
    remote: createRemoteDesk({
      agents: isRemoteOn ? (options.remoteAgents ?? createRemoteAgents(host.egress)) : undefined,
      uses,
      now,
      recordViolation: options.recordViolation ?? (async () => undefined),
      pollMs: options.pollMs ?? POLL_MS,
    }),
    inbound: isOn('a2a', settings.a2a, false) ? inboundOf({ ...parts, uses }, options) : undefined,
  };
}

function searchOf({ settings, egress }: OutsideParts['host']): SearchProvider | undefined {
  const { searchApiKey: key, searchUrl = SEARCH_URL } = settings;
  const base = operatorBase('search-url', searchUrl);
  return key === undefined ? undefined : createBraveSearch({ egress, base, key });
}

function githubOf({ host, now }: OutsideParts, { retryDelaysMs }: OutsideOptions): GitHub | undefined {
  const { githubToken: token, githubApiUrl = GITHUB_URL } = host.settings;
  const base = operatorBase('github-api-url', githubApiUrl);
  if (token === undefined) return undefined;
  const { egress } = host;
  return createOctokitGitHub({ egress, base, token, now, ...(retryDelaysMs && { retryDelaysMs }) });
}

function inboundOf(
  { host, agents, callers, deliver, now, uses }: OutsideParts & Pick<InboundParts, 'uses'>,
  { runner }: OutsideOptions,
): InboundTasks {
  const { store, identity, tasks, settings } = host;
  const offered = settings.a2aAgent;
  if (offered === undefined)
    throw new Error('--a2a is on, so --a2a-agent has to name the agent that takes tasks.');
  return createInboundTasks({
    store,
    identity,
    tasks,
    agents,
    callers,
    uses,
    now,
    offered,
    runner,
    deliver,
  });
}
