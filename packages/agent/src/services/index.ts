/** What the agent tools stand on: one service for each noun. */
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { AgentHost } from '../toolset.ts';
import type { Agents } from './agents.ts';
import { createAgents } from './agents.ts';
import type { Plugins, PluginsParts } from './plugins/plugins.ts';
import { createPlugins } from './plugins/plugins.ts';

export interface AgentServices {
  readonly agents: Agents;
  readonly callers: AgentCallers;
  readonly plugins: Plugins;
}

/** What a test may choose. */
export interface AgentOptions {
  readonly now?: () => number;
  readonly pluginTimes?: PluginsParts['times'];
  /** The folder of the project that an agent works on; absent: none has one. */
  readonly projectRootOf?: PluginsParts['projectRootOf'];
}

/** Builds the services over the base of this process. */
export function createAgentServices(
  host: Pick<AgentHost, 'store' | 'identity' | 'egress' | 'dataDir' | 'onFault' | 'onStop'>,
  { now = Date.now, pluginTimes, projectRootOf = async () => undefined }: AgentOptions = {},
): AgentServices {
  const { store, identity } = host;
  const plugins = createPlugins({ ...host, now, projectRootOf, times: pluginTimes });
  host.onStop(() => plugins.close());
  const callers = createAgentCallers(store, identity, {
    registered: (organizationId) => [
      ...AGENT_TOOLS.map(({ name }) => name),
      ...plugins.names(organizationId),
    ],
    ready: (organizationId) => plugins.ready(organizationId),
    defaults: DEFAULT_ALLOWED_TOOLS,
  });
  identity.serveAgents(callers);
  const toolNamed = (organizationId: string, name: string) =>
    AGENT_TOOLS.find((tool) => tool.name === name) ?? plugins.toolNamed(organizationId, name);
  return {
    agents: createAgents({ store, identity, now, toolNamed, born: [] }),
    callers,
    plugins,
  };
}
