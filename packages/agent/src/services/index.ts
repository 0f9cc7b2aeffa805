/** What the agent tools stand on: one service for each noun. */
import type { Runner } from '../adapters/runner/runner.ts';
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { AgentHost } from '../toolset.ts';
import type { Agents } from './agents.ts';
import { createAgents } from './agents.ts';
import type { Code } from './code/code.ts';
import { createCode } from './code/code.ts';
import { CodeThread } from './code/code-thread.ts';
import type { CodeTimes } from './code/code-thread.ts';
import { createCodeFolders } from './projects/code-folder.ts';
import type { Projects } from './projects/projects.ts';
import { createProjects } from './projects/projects.ts';
import type { RecordViolation } from './violations.ts';
import type { WorkTasks } from './work/work-tasks.ts';
import { createWorkTasks } from './work/work-tasks.ts';
import { createWorktrees } from './work/worktrees.ts';

export interface AgentServices {
  readonly agents: Agents;
  readonly callers: AgentCallers;
  readonly projects: Projects;
  /** Undefined: it is switched off. */
  readonly code: Code | undefined;
  /** Undefined: they are switched off. */
  readonly work: WorkTasks | undefined;
}

/** What a test may choose. */
export interface AgentOptions {
  readonly now?: () => number;
  readonly recordViolation?: RecordViolation;
  readonly codeTimes?: CodeTimes;
  /** Absent: work is offered to agents. */
  readonly runner?: Runner;
}

/** Builds the services over the base of this process. */
export function createAgentServices(
  host: AgentHost,
  { now = Date.now, recordViolation = async () => undefined, codeTimes, runner }: AgentOptions = {},
): AgentServices {
  const { store, identity, tasks, dataDir, environment, settings } = host;
  const folders = createCodeFolders(settings.projectRoots, dataDir);
  const projects = createProjects({ store, identity, directory: host.projects, folders, now });
  const thread = isOn('code-index', settings.codeIndex) ? new CodeThread(codeTimes) : undefined;
  if (thread !== undefined) host.onStop(() => thread.close());
  const code = thread && createCode({ projects, thread, dataDir, recordViolation });
  const worktrees = createWorktrees(dataDir, environment);
  const work = isOn('work-tasks', settings.workTasks)
    ? createWorkTasks({ store, tasks, projects, worktrees, environment, runner, now })
    : undefined;
  const registered = () => AGENT_TOOLS.map(({ name }) => name);
  const callers = createAgentCallers(store, identity, { registered, defaults: DEFAULT_ALLOWED_TOOLS });
  identity.serveAgents(callers);
  const toolNamed = (_organizationId: string, name: string) => AGENT_TOOLS.find((tool) => tool.name === name);
  return {
    agents: createAgents({ store, identity, now, toolNamed, born: [] }),
    callers,
    projects,
    code,
    work,
  };
}

function isOn(flag: string, value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new Error(`--${flag}: must be on or off`);
  return value === 'on';
}
