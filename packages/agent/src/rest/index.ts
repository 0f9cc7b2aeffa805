/** The routes of agents: sets below `/api`, each with its documents. */
import type { RouteSet } from '@parley/http';
import type { Caller } from '@parley/kit';
import { ownersWithAll } from '@parley/kit';
import { defineRoutes } from '@parley/http/rest';
import { AGENT } from '../name.ts';
import type { AgentServices } from '../services/index.ts';
import { agentTools } from '../tools/index.ts';
import type { AgentHost } from '../toolset.ts';
import { createAgentCard } from './agent-card.ts';

const tables = () => import('./tables.ts');

/** By this an agent has its own inbox; people have `agents_manage`. */
const INBOX_GUARD = {
  name: 'inbox',
  available: (_services: unknown, { agent }: Caller) => agent !== undefined,
};

const WORDS = {
  toolset: AGENT,
  version: '1',
  note: '',
  guards: [...agentTools, INBOX_GUARD],
  byName: 'name',
} as const;

const agentsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/agents',
  title: 'Parley agents API',
  description: 'Agents, their tools and what they are told.',
  heading: 'Agents API',
  routes: async () => (await tables()).agents,
});

const bundlesApi = defineRoutes({
  ...WORDS,
  prefix: '/api/skill-bundles',
  title: 'Parley bundles API',
  description: 'Sets of tools for agents, with words for whoever gets them.',
  heading: 'Bundles API',
  routes: async () => (await tables()).bundles,
});

/** Commands of a project are run on this machine, so only owners set them. */
const ownersSetCode = { name: 'project_code', available: ownersWithAll };

const projectsApi = defineRoutes({
  ...WORDS,
  guards: [...WORDS.guards, ownersSetCode],
  prefix: '/api/projects',
  title: 'Parley projects API for agents',
  description: 'What agents have in a project, and where its code lies.',
  heading: 'Projects API',
  routes: async () => (await tables()).projects,
});

const executionsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/executions',
  title: 'Parley executions API',
  description: 'What schedules of agents did, and what they wait for people to approve.',
  heading: 'Executions API',
  routes: async () => (await tables()).executions,
});

/** A plugin runs on this machine, so only owners load one. */
const ownersLoadPlugins = { name: 'plugins_manage', available: ownersWithAll };

const pluginsApi = defineRoutes({
  ...WORDS,
  guards: [...WORDS.guards, ownersLoadPlugins],
  prefix: '/api/plugins',
  title: 'Parley plugins API',
  description: 'Plugins of agents: loaded, granted and unloaded by owners.',
  heading: 'Plugins API',
  routes: async () => (await tables()).plugins,
});

const notificationsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/notifications',
  title: 'Parley notifications API',
  description: 'What agents told their owners.',
  heading: 'Notifications API',
  routes: async () => (await tables()).notifications,
});

const questionsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/questions',
  title: 'Parley questions API',
  description: 'What agents ask their owners, and the answers.',
  heading: 'Questions API',
  routes: async () => (await tables()).questions,
});

const SETS = [agentsApi, bundlesApi, projectsApi, executionsApi, pluginsApi, notificationsApi, questionsApi];

/** Served only where an agent is offered to other servers. */
const a2aApi = defineRoutes({
  ...WORDS,
  prefix: '/a2a',
  title: 'Parley remote agents API',
  description: 'Tasks that agents of other servers give to the agent that is offered here.',
  heading: 'Remote agents API',
  routes: async () => (await tables()).a2a,
});

/** The documents, which are the same for everybody. */
export const OPEN_PATHS = SETS.flatMap(({ prefix }) => [`${prefix}/openapi.json`, `${prefix}/docs`]);

/** Of requests without a valid key. */
const RATE_PER_MINUTE = 1200;

export function createAgentRoutes(services: AgentServices, host: AgentHost): RouteSet[] {
  const { store, identity, names, observe, onFault, web } = host;
  const { inbound } = services.outside;
  const sets = inbound === undefined ? SETS : [...SETS, a2aApi];
  const served = sets.map((set) =>
    set.serve({
      names,
      observe,
      onFault,
      store,
      identity,
      ratePerMinute: RATE_PER_MINUTE,
      countCaller: host.countRequest,
      trustedProxies: web.trustedProxies,
      publicUrl: web.publicUrl,
      now: () => store.now(),
      toolServices: services,
      scope: async () => () => ({ services }),
    }),
  );
  return inbound === undefined ? served : [...served, createAgentCard(inbound, host)];
}
