/** The services over a store, made once however many sessions use it: what a server has, less what does work by itself. */
import { createEvents } from '@parley/events';
import type { Identity } from '@parley/identity';
import { createIdentity, roleDefaultsOf } from '@parley/identity';
import type { ChangeBus } from '@parley/kit';
import { createChangeBus, ToolError } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import type { Store } from '@parley/store';
import { createTaskEngine } from '@parley/tasks';
import { tmpdir } from 'node:os';
import type { AgentServices } from '../services/index.ts';
import { createAgentServices } from '../services/index.ts';
import { workByMessage } from '../services/messages/work-by-message.ts';
import type { AgentHost } from '../toolset.ts';
import { agentToolset } from '../toolset.ts';
import { currentSession, sessionNow } from './current.ts';

/** What sessions on one store share. */
export interface OnStore {
  readonly services: AgentServices;
  readonly identity: Identity;
  readonly host: AgentHost;
  readonly changes: ChangeBus;
  close(): Promise<void>;
}

const made = new WeakMap<Store, OnStore>();

/** The services on a store; they stay until they are closed. */
export function servicesOn(store: Store): OnStore {
  const known = made.get(store);
  if (known !== undefined) return known;
  const own = build(store);
  made.set(store, own);
  return own;
}

/**
 * Ends what sessions on a store have left: timers, watchers and denials that are not written yet. To be called before
 * the store is closed; a session that comes later begins anew.
 */
export async function closeAgentStore(store: Store): Promise<void> {
  const own = made.get(store);
  made.delete(store);
  await own?.close();
}

function build(store: Store): OnStore {
  const now = sessionNow;
  const onFault = (error: unknown, where: string) => logFault(error, where);
  const identity = createIdentity(store, {
    now,
    roleDefaults: roleDefaultsOf([agentToolset]),
    onError: (error) => logFault(error, 'identity'),
  });
  const egress = createEgress();
  // Neither is started: what has to be done later is left to the server that runs on this database.
  const tasks = createTaskEngine({ store, now, onFault });
  const events = createEvents({ store, tasks, egress, onFault, now, delivers: false });
  const changes = createChangeBus();
  const stops: (() => Promise<void>)[] = [];
  const host: AgentHost = {
    store,
    identity,
    tasks,
    events,
    egress,
    changes,
    onFault,
    observe: () => undefined,
    onStop: (work) => {
      stops.push(work);
    },
    names: { hosts: [], origins: [] },
    web: { publicUrl: undefined, trustedProxies: [] },
    countRequest: () => undefined,
    environment: {},
    delivers: false,
    settings: { workTasks: 'off', codeIndex: 'off', remoteAgents: 'off' },
    projects: {
      list: async (organizationId) => (await projects()?.list(organizationId)) ?? [],
      get: async (organizationId, id) => projects()?.get(organizationId, id),
    },
    // Nothing is written there: plugins and worktrees belong to a server.
    dataDir: tmpdir(),
    engine: () => {
      throw new Error('Sessions in a process of their own share no engine.');
    },
  };
  const services: AgentServices = createAgentServices(host, {
    now,
    session: {
      runner: () => currentSession()?.runner ?? undefined,
      createWorkTask() {
        const work = currentSession()?.workTaskService;
        return work ? workByMessage(work) : undefined;
      },
    },
    messageCredits: {
      charge: (...charge) =>
        currentSession()?.accountService?.charge?.(...charge) ?? services.credits.charge(...charge),
      refund: (...refund) =>
        currentSession()?.accountService?.refund?.(...refund) ?? services.credits.refund(...refund),
    },
  });
  return {
    services,
    identity,
    host,
    changes,
    async close() {
      for (const stop of stops) await stop();
      await identity.audit.flush();
      await events.stop();
      await tasks.stop();
      await egress.close();
      identity.close();
    },
  };
}

function projects() {
  const directory = currentSession()?.projectDirectory;
  if (directory === null) throw new ToolError('unavailable', 'Projects are switched off in this session.');
  return directory;
}

function logFault(error: unknown, where: string): void {
  const session = currentSession();
  const doing = session?.schedulerActionType;
  session?.log?.(doing === undefined ? where : `${where}, ${doing}`, error);
}
