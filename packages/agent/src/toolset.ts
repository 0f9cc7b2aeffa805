/** The toolset `agent`: governed tools for agents over the services of this process. */
import type { Events } from '@parley/events';
import type { RouteSet } from '@parley/http';
import type { Identity } from '@parley/identity';
import type { Caller, Engine, Host, SettingsOf } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import { defineToolset } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import { AGENT_EVENTS } from './events.ts';
import { agentMigrations } from './migrations/index.ts';
import { AGENT } from './name.ts';
import { createAgentRoutes, OPEN_PATHS } from './rest/index.ts';
import { createAgentServices } from './services/index.ts';
import { PLUGIN } from './services/plugins/source.ts';
import { keepUp } from './services/upkeep.ts';
import type { ProjectDirectory } from './services/projects/directory.ts';
import { agentSettings } from './settings.ts';
import { agentTools } from './tools/index.ts';
import { agentResources, publishWorkNotices } from './resources.ts';
import { RIGHTS } from './rights.ts';

export type AgentHost = Host<
  {
    readonly store: Store;
    readonly identity: Identity;
    readonly events: Events;
    readonly tasks: TaskEngine;
    readonly egress: Egress;
    readonly projects: ProjectDirectory;
    readonly dataDir: string;
    /** The variables of the server that programs get. */
    readonly environment: Readonly<Record<string, string>>;
    /** False in a process that is no server: what agents do later is left to one. */
    readonly delivers?: boolean;
    /** Begins what is done without being asked: now, or once a restored server may act. */
    whenFree?(begin: () => void | Promise<void>): Promise<void>;
    /** Counts a request of a caller over REST; throws when there were too many. */
    countRequest(caller: Caller): void;
    engine(): Engine;
  },
  // A host of tests says only what it is about.
  Partial<SettingsOf<typeof agentSettings>>
>;

export const agentToolset = defineToolset({
  name: AGENT,
  title: 'Agents',
  tools: agentTools,
  resources: agentResources,
  rights: RIGHTS,
  roles: { member: ['*'] },
  settings: agentSettings,
  migrations: agentMigrations,
  events: AGENT_EVENTS,
  services(host: AgentHost) {
    const end = publishWorkNotices(host.store, host.changes);
    host.onStop(async () => end());
    return createAgentServices(
      host.delivers === false ? { ...host, tasks: leftToServers(host.tasks) } : host,
    );
  },
  joinedBy: [PLUGIN],
  sources: ({ plugins }) => [plugins.source],
  routes: (services, host): RouteSet[] => createAgentRoutes(services, host),
  open: OPEN_PATHS,
  async onStarted(services, _host, url) {
    services.servedAt(url);
    return {};
  },
  async beforeStart({ plugins, schedules, workflows, work, sweep }, { onStop, onFault, whenFree }) {
    await plugins.start();
    const begin = async () => {
      // What is left over is no reason not to start.
      await work?.recover().catch((error: unknown) => onFault(error, 'work tasks'));
      onStop(keepUp([schedules, workflows, ...(work === undefined ? [] : [work])], sweep, onFault));
    };
    await (whenFree === undefined ? begin() : whenFree(begin));
  },
});

/** The same tasks, made here and run by a server: it alone has the runner, the folders and the tokens for them. */
function leftToServers(tasks: TaskEngine): TaskEngine {
  return { ...tasks, register: (kind) => tasks.register({ ...kind, isRunElsewhere: true }) };
}
