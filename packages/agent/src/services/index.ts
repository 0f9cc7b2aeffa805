/** What the agent tools stand on: one service for each noun. */
import { ToolError } from '@parley/kit';
import { commandOf, createCommandRunner } from '../adapters/runner/command.ts';
import type { Runner } from '../adapters/runner/runner.ts';
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import type { AgentPermissions } from '../permissions/permissions.ts';
import { createPermissions } from '../permissions/permissions.ts';
import { publishInboxNotices } from '../resources.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { Acting } from '../session.ts';
import type { AgentHost } from '../toolset.ts';
import { createActionServices } from './action-services.ts';
import type { Agents, ProjectExists } from './agents.ts';
import { createAgents } from './agents.ts';
import type { OwnerLine } from './owner/index.ts';
import { createOwnerLine } from './owner/index.ts';
import type { Outside, OutsideOptions } from './outside/index.ts';
import { createOutside } from './outside/index.ts';
import type { Bundles } from './bundles.ts';
import { createBundles } from './bundles.ts';
import type { Skills } from './skills.ts';
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
import { createMeasure } from './health/measure.ts';
import { projectReachOf } from './health/project-reach.ts';
import type { Memories } from './memories/memories.ts';
import { createMemories } from './memories/memories.ts';
import { signedMemories } from './memories/rows.ts';
import { signedAttestations } from './reputation/attestations.ts';
import type { AgentCounts } from './reputation/counts.ts';
import { tableCounts } from './reputation/counts.ts';
import type { Reputation } from './reputation/reputation.ts';
import { createReputation } from './reputation/reputation.ts';
import type { ActionServices } from './schedules/actions.ts';
import { createPerform } from './schedules/actions.ts';
import type { ScheduleService } from './schedules/index.ts';
import { createSchedules } from './schedules/index.ts';
import type { NotifyOwner } from './schedules/parts.ts';
import type { Workflows } from './workflows/workflows.ts';
import { createWorkflows } from './workflows/workflows.ts';
import type { Code } from './code/code.ts';
import { createCode } from './code/code.ts';
import type { CodeLimits } from './code/code-process.ts';
import { CodeReaders } from './code/code-readers.ts';
import { createCodeFolders } from './projects/code-folder.ts';
import type { Projects } from './projects/projects.ts';
import { createProjects } from './projects/projects.ts';
import { sweepOld } from './retention.ts';
import type { RecordViolation } from './violations.ts';
import type { WorkTasks } from './work/work-tasks.ts';
import { createWorkTasks } from './work/work-tasks.ts';
import { createProjectCheck } from './work/project-check.ts';
import { createWorktrees } from './work/worktrees.ts';
import type { Plugins, PluginsParts } from './plugins/plugins.ts';
import { createPlugins } from './plugins/plugins.ts';

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
  readonly schedules: ScheduleService;
  readonly workflows: Workflows;
  readonly projects: Projects;
  /** Undefined: it is switched off. */
  readonly code: Code | undefined;
  /** Undefined: they are switched off. */
  readonly work: WorkTasks | undefined;
  readonly plugins: Plugins;
  /** Forgets what is old. */
  sweep(): Promise<void>;
}

/** What sessions of one process may each have of their own. */
export interface SessionParts {
  runner(): Runner | undefined;
  createWorkTask(): CreateWorkTask | undefined;
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
  /** What the session brings whose call is under way, instead of what the settings say. */
  readonly session?: SessionParts;
  /** What work and sessions count for reputation. */
  readonly counts?: AgentCounts;
  /** What schedules and workflows do their work with. */
  readonly actions?: ActionServices;
  readonly notifyOwner?: NotifyOwner;
  readonly recordViolation?: RecordViolation;
  readonly codeLimits?: CodeLimits;
  readonly pluginTimes?: PluginsParts['times'];
  /** The folder of the project that an agent works on, instead of where its code lies. */
  readonly projectRootOf?: PluginsParts['projectRootOf'];
}

/** Builds the services over the base of this process. */
export function createAgentServices(
  host: AgentHost,
  {
    now = Date.now,
    outside,
    projectExists,
    runner,
    counts = tableCounts,
    messageCredits,
    createWorkTask,
    session,
    actions,
    notifyOwner,
    recordViolation,
    codeLimits,
    pluginTimes,
    projectRootOf,
  }: AgentOptions = {},
): AgentServices {
  const { store, identity, changes, tasks, events, dataDir, environment, settings, onFault } = host;
  const plugins = createPlugins({
    ...host,
    now,
    projectRootOf: projectRootOf ?? ((acting) => codeRootOf(projects, acting)),
    times: pluginTimes,
  });
  const builtIn = AGENT_TOOLS.map(({ name }) => name);
  const tools = {
    registered: (organizationId: string) => [...builtIn, ...plugins.names(organizationId)],
    ready: (organizationId: string) => plugins.ready(organizationId),
    defaults: DEFAULT_ALLOWED_TOOLS,
  };
  const callers = createAgentCallers(store, identity, tools);
  identity.serveAgents(callers);
  const toolNamed = (organizationId: string, name: string) =>
    AGENT_TOOLS.find((tool) => tool.name === name) ?? plugins.toolNamed(organizationId, name);
  const { audit } = identity;
  const chain = createChain({ store, audit, now, sources: [signedMemories, signedAttestations] });
  const reputation = createReputation({ store, chain, counts, now });
  const credits = createCredits({ store, audit, now, conduct: reputation });
  const hasProject = async (organizationId: string, projectId: string) =>
    (await host.projects.get(organizationId, projectId)) !== undefined;
  const parts = {
    store,
    identity,
    now,
    toolNamed,
    ready: tools.ready,
    born: [chain.born, credits.born],
    projectExists: projectExists ?? hasProject,
  };
  const agents = createAgents(parts);
  const sessions = createSessions({ store, now, onFault });
  let mcpUrl: string | undefined;
  const ownRunner = runner ?? runnerOf(host, { callers, mcpUrl: () => mcpUrl });
  const runs = createRuns({
    store,
    runner: session?.runner ?? (() => ownRunner),
    sessions,
    onFault,
  });
  const violation: RecordViolation =
    recordViolation ??
    (({ agentId }, kind, detail) =>
      store.transaction((tx) => reputation.recordViolation(tx, agentId, kind, detail)));
  const folders = createCodeFolders(settings.projectRoots ?? [], dataDir);
  const projects = createProjects({ store, identity, directory: host.projects, folders, now });
  const readers = isOn('code-index', settings.codeIndex) ? new CodeReaders(codeLimits) : undefined;
  const code = readers && createCode({ projects, readers, dataDir, recordViolation: violation });
  const worktrees = createWorktrees(dataDir, environment);
  const work = isOn('work-tasks', settings.workTasks)
    ? createWorkTasks({
        store,
        tasks,
        projects,
        worktrees,
        environment,
        runner: runs.runner && runs,
        now,
      })
    : undefined;
  const ownWork = createWorkTask ?? (work && workOfMessages(work));
  const messages = createMessages({
    store,
    now,
    changes,
    onFault,
    agents,
    runs,
    credits: messageCredits ?? credits,
    createWorkTask: session?.createWorkTask ?? (() => ownWork),
  });
  const stopNotices = publishInboxNotices(store, changes);
  host.onStop(async () => {
    stopNotices();
    await runs.close();
    await messages.close();
    await readers?.close();
    await plugins.close();
  });
  const memories = createMemories({ store, chain, now });
  const owner = createOwnerLine(host, now, reputation);
  const outsideServices = createOutside(
    { host, agents, callers, deliver: messages.fromOutside, now },
    {
      recordViolation: ({ organizationId, agentId, kind, detail }) =>
        violation({ organizationId, agentId }, kind, detail),
      ...(runs.runner !== undefined && { runner: runs }),
      ...outside,
    },
  );
  const doing =
    actions ??
    createActionServices({
      agents,
      memories,
      messages,
      outside: outsideServices,
      projects,
      reputation,
      runs,
      work,
    });
  const isRegistered = (name: string) => builtIn.includes(name);
  const perform = createPerform({ services: doing, others: othersOf(agents), isRegistered });
  const base = { store, identity, tasks, events, callers, now, onFault };
  const health = createHealth({ store, projects: projectReachOf(projects, code), now });
  const check = work && createProjectCheck({ projects, worktrees, environment, now });
  const measure = createMeasure({ health, projects, check });
  const services: AgentServices = {
    agents,
    bundles: createBundles(parts),
    callers,
    chain,
    code,
    credits,
    health,
    memories,
    messages,
    outside: outsideServices,
    owner,
    permissions: createPermissions({ store, callers, tools, toolNamed }, () => services),
    plugins,
    projects,
    reputation,
    runs,
    schedules: createSchedules({
      ...base,
      perform,
      measure,
      notifyOwner: notifyOwner ?? owner.notifications.tell,
    }),
    sessions,
    sweep: () => sweepOld(host, now()),
    skills: createSkills(parts),
    work,
    workflows: createWorkflows({ ...base, services: doing, isRegistered }),
    servedAt(url) {
      mcpUrl = `${url}/mcp/agent`;
    },
  };
  return services;
}

/** Where the code of the project that an agent works on lies. */
async function codeRootOf(projects: Projects, acting: Acting): Promise<string | undefined> {
  const reached = await projects.reachedBy(acting);
  const current = reached.find(({ id, isDefault }) =>
    acting.projectId === undefined ? isDefault : id === acting.projectId,
  );
  return current && (await projects.usableCode(current))?.folder;
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

const othersOf =
  (agents: Agents) =>
  async ({ agentId, organizationId }: Acting): Promise<string[]> =>
    (await agents.list(organizationId)).map(({ id }) => id).filter((id) => id !== agentId);

function isOn(flag: string, value = 'on'): boolean {
  if (value !== 'on' && value !== 'off') throw new Error(`--${flag}: must be on or off`);
  return value === 'on';
}

/** A message that asks for work makes one task, however often it is delivered. */
export const workOfMessages =
  (work: Pick<WorkTasks, 'create'>): CreateWorkTask =>
  async ({ messageId, agentId, description, from }) => {
    const { organizationId, depth, unattended } = from;
    const acting = { organizationId, agentId, projectId: undefined, depth: depth + 1, unattended };
    try {
      return { task_id: (await work.create(acting, { description, key: messageId })).id };
    } catch (error) {
      // The words are for the agent that works, and the one that reads them has asked it to.
      if (error instanceof ToolError && error.code === 'no_project')
        throw new ToolError(
          'no_project',
          'The recipient has no default project with code. Its owner sets one.',
        );
      throw error;
    }
  };
