/** What the agent tools stand on: one service for each noun. */
import { commandOf, createCommandRunner } from '../adapters/runner/command.ts';
import type { Runner } from '../adapters/runner/runner.ts';
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import type { AgentPermissions } from '../permissions/permissions.ts';
import { createPermissions } from '../permissions/permissions.ts';
import { publishInboxNotices } from '../resources.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { AgentHost } from '../toolset.ts';
import type { Agents } from './agents.ts';
import { createAgents } from './agents.ts';
import type { OwnerLine } from './owner/index.ts';
import { createOwnerLine } from './owner/index.ts';
import type { Outside, OutsideOptions } from './outside/index.ts';
import { createOutside } from './outside/index.ts';
import type { Bundles } from './bundles.ts';
import { createBundles } from './bundles.ts';
import type { ProjectExists, Skills } from './skills.ts';
import { createSkills } from './skills.ts';
import type { Messages } from './messages/messages.ts';
import { createMessages } from './messages/messages.ts';
import type { CreateWorkTask, MessageCredits } from './messages/seams.ts';
import type { Runs } from './runs.ts';
import { createRunKeys, createRuns } from './runs.ts';
import type { Sessions } from './sessions/sessions.ts';
import { createSessions } from './sessions/sessions.ts';
import type { Chain } from './chain/chain.ts';
import { createChain } from './chain/chain.ts';
import type { Credits } from './credits/credits.ts';
import { createCredits } from './credits/credits.ts';
import type { Health } from './health/health.ts';
import { createHealth } from './health/health.ts';
import type { ProjectReach } from './health/project-reach.ts';
import { givenProjects } from './health/project-reach.ts';
import type { Memories } from './memories/memories.ts';
import { createMemories } from './memories/memories.ts';
import { signedMemories } from './memories/rows.ts';
import { signedAttestations } from './reputation/attestations.ts';
import type { AgentCounts } from './reputation/counts.ts';
import { tableCounts } from './reputation/counts.ts';
import type { Reputation } from './reputation/reputation.ts';
import { createReputation } from './reputation/reputation.ts';

export interface AgentServices {
  readonly agents: Agents;
  readonly bundles: Bundles;
  readonly callers: AgentCallers;
  /** Web search, GitHub, and agents of other servers. */
  readonly outside: Outside;
  /** Questions and notifications to the owner. */
  readonly owner: OwnerLine;
  readonly permissions: AgentPermissions;
  readonly skills: Skills;
  readonly messages: Messages;
  readonly sessions: Sessions;
  readonly runs: Runs;
  /** Says where this process serves MCP, once it does. */
  servedAt(url: string): void;
  readonly chain: Chain;
  readonly memories: Memories;
  readonly credits: Credits;
  readonly reputation: Reputation;
  readonly health: Health;
}

/** What a test may choose. */
export interface AgentOptions {
  readonly now?: () => number;
  readonly outside?: OutsideOptions;
  /** Absent: there are no projects. */
  readonly projectExists?: ProjectExists;
  /** Runs agents instead of what the settings say. */
  readonly runner?: Runner;
  /** What messages cost, instead of what the accounts say. */
  readonly messageCredits?: MessageCredits;
  readonly createWorkTask?: CreateWorkTask;
  /** What work and sessions count for reputation. */
  readonly counts?: AgentCounts;
  /** Which projects agents reach. */
  readonly projectReach?: ProjectReach;
}

/** Builds the services over the base of this process. */
export function createAgentServices(
  host: AgentHost,
  {
    now = Date.now,
    outside,
    projectExists = async () => false,
    runner,
    counts = tableCounts(),
    projectReach,
    messageCredits,
    createWorkTask,
  }: AgentOptions = {},
): AgentServices {
  const { store, identity, changes, onFault } = host;
  const registered = () => AGENT_TOOLS.map(({ name }) => name);
  const tools = { registered, defaults: DEFAULT_ALLOWED_TOOLS };
  const callers = createAgentCallers(store, identity, tools);
  identity.serveAgents(callers);
  const toolNamed = (_organizationId: string, name: string) => AGENT_TOOLS.find((tool) => tool.name === name);
  const { audit } = identity;
  const chain = createChain({ store, audit, now, sources: [signedMemories, signedAttestations] });
  const reputation = createReputation({ store, chain, counts, now });
  const credits = createCredits({ store, audit, now, conduct: reputation });
  const parts = { store, identity, now, toolNamed, born: [chain.born, credits.born] };
  const agents = createAgents(parts);
  const sessions = createSessions({ store, now, onFault });
  let mcpUrl: string | undefined;
  const runs = createRuns({
    runner: runner ?? runnerOf(host, { callers, mcpUrl: () => mcpUrl }),
    sessions,
    onFault,
  });
  const messages = createMessages({
    store,
    now,
    changes,
    onFault,
    agents,
    runs,
    credits: messageCredits ?? credits,
    createWorkTask,
  });
  const stopNotices = publishInboxNotices(store, changes);
  host.onStop(async () => {
    stopNotices();
    await runs.close();
    await messages.close();
  });
  const services: AgentServices = {
    agents,
    bundles: createBundles(parts),
    callers,
    chain,
    credits,
    health: createHealth({ store, projects: projectReach ?? givenProjects(store), now }),
    memories: createMemories({ store, chain, now }),
    messages,
    outside: createOutside({ host, agents, callers, now }, outside),
    owner: createOwnerLine(host, now, reputation),
    permissions: createPermissions({ store, callers, tools, toolNamed }, () => services),
    reputation,
    runs,
    sessions,
    skills: createSkills(parts, projectExists),
    servedAt(url) {
      mcpUrl = `${url}/mcp/agent`;
    },
  };
  return services;
}

/** The runner that the settings ask for. */
function runnerOf(
  { settings, environment, identity }: AgentHost,
  { callers, mcpUrl }: { readonly callers: AgentCallers; readonly mcpUrl: () => string | undefined },
): Runner | undefined {
  const command = commandOf(settings.runnerCommand);
  if (settings.runner === undefined || settings.runner === 'inbox') return undefined;
  if (settings.runner !== 'command') throw new Error('--runner: must be inbox or command');
  if (command === undefined)
    throw new Error('--runner command needs --runner-command, such as \'["claude","-p"]\'');
  return createCommandRunner({ command, environment, mcpUrl, keyFor: createRunKeys(identity, callers) });
}
