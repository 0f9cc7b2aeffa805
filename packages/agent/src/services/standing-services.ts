/** Who agents are and what they may use: themselves, their callers, bundles, projects, and the tools that plugins add. */
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import type { PermissionsParts } from '../permissions/permissions.ts';
import type { Acting } from '../session.ts';
import type { AgentHost } from '../toolset.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { Agents, AgentsParts } from './agents.ts';
import { createAgents } from './agents.ts';
import type { Bundles } from './bundles.ts';
import { createBundles } from './bundles.ts';
import type { AgentOptions } from './options.ts';
import type { Plugins } from './plugins/plugins.ts';
import { createPlugins } from './plugins/plugins.ts';
import { createCodeFolders } from './projects/code-folder.ts';
import type { Projects } from './projects/projects.ts';
import { createProjects } from './projects/projects.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Skills } from './skills.ts';
import { createSkills } from './skills.ts';

export interface StandingServices extends Pick<PermissionsParts, 'tools' | 'toolNamed'> {
  readonly agents: Agents;
  readonly bundles: Bundles;
  readonly callers: AgentCallers;
  readonly plugins: Plugins;
  readonly projects: Projects;
  readonly skills: Skills;
}

type Options = Pick<AgentOptions, 'projectExists' | 'projectRootOf' | 'pluginTimes'>;

export function createStandingServices(
  host: AgentHost,
  now: () => number,
  {
    sessions,
    born,
    projectExists,
    projectRootOf,
    pluginTimes,
  }: Options & { readonly sessions: Sessions } & Pick<AgentsParts, 'born'>,
): StandingServices {
  const { store, identity, settings, dataDir } = host;
  const plugins = createPlugins({
    ...host,
    now,
    projectRootOf: projectRootOf ?? ((acting) => codeRootOf(projects, acting)),
    times: pluginTimes,
  });
  const tools = {
    registered: (organizationId: string) => [...BUILT_IN, ...plugins.names(organizationId)],
    ready: (organizationId: string) => plugins.ready(organizationId),
    lacking: (organizationId: string) => plugins.lacking(organizationId),
    defaults: DEFAULT_ALLOWED_TOOLS,
  };
  const callers = createAgentCallers({ store, identity, tools, sessions });
  identity.serveAgents(callers);
  const toolNamed: StandingServices['toolNamed'] = (organizationId, name) =>
    AGENT_TOOLS.find((tool) => tool.name === name) ?? plugins.toolNamed(organizationId, name);
  const hasProject = async (organizationId: string, projectId: string) =>
    (await host.projects.get(organizationId, projectId)) !== undefined;
  const parts: AgentsParts = {
    store,
    identity,
    now,
    toolNamed,
    ready: tools.ready,
    born,
    projectExists: projectExists ?? hasProject,
  };
  const folders = createCodeFolders(settings.projectRoots ?? [], dataDir);
  const projects = createProjects({ ...parts, directory: host.projects, folders });
  return {
    agents: createAgents(parts),
    bundles: createBundles(parts),
    skills: createSkills(parts),
    callers,
    plugins,
    projects,
    tools,
    toolNamed,
  };
}

const BUILT_IN = AGENT_TOOLS.map(({ name }) => name);

/** True for a tool of the house; those of plugins may go at any time. */
export function isBuiltIn(name: string): boolean {
  return BUILT_IN.includes(name);
}

/** Where the code of the project that an agent works on lies. */
async function codeRootOf(projects: Projects, acting: Acting): Promise<string | undefined> {
  const reached = await projects.reachedBy(acting);
  const current = reached.find(({ id, isDefault }) =>
    acting.projectId === undefined ? isDefault : id === acting.projectId,
  );
  return current && (await projects.usableCode(current))?.folder;
}
