/** The routes of agents: sets below `/api`, each with its documents. */
import type { RouteSet } from '@parley/http';
import { defineRoutes } from '@parley/http/rest';
import { AGENT } from '../name.ts';
import type { AgentServices } from '../services/index.ts';
import { agentTools } from '../tools/index.ts';
import type { AgentHost } from '../toolset.ts';
import { agentRoutes } from './agents.ts';
import { notificationRoutes, questionRoutes } from './owner.ts';

const WORDS = { toolset: AGENT, version: '1', note: '', guards: agentTools, byName: 'name' } as const;

const agentsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/agents',
  title: 'Parley agents API',
  description: 'Agents, their tools and what they are told.',
  heading: 'Agents API',
  routes: agentRoutes,
});

const notificationsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/notifications',
  title: 'Parley notifications API',
  description: 'What agents told their owners.',
  heading: 'Notifications API',
  routes: notificationRoutes,
});

const questionsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/questions',
  title: 'Parley questions API',
  description: 'What agents ask their owners, and the answers.',
  heading: 'Questions API',
  routes: questionRoutes,
});

const SETS = [agentsApi, notificationsApi, questionsApi];

/** The documents, which are the same for everybody. */
export const OPEN_PATHS = SETS.flatMap(({ prefix }) => [`${prefix}/openapi.json`, `${prefix}/docs`]);

const RATE_PER_MINUTE = 1200;

export function createAgentRoutes(services: AgentServices, host: AgentHost): RouteSet[] {
  const { store, identity, names, observe, onFault, web } = host;
  return SETS.map((set) =>
    set.serve({
      names,
      observe,
      onFault,
      store,
      identity,
      ratePerMinute: RATE_PER_MINUTE,
      trustedProxies: web.trustedProxies,
      now: Date.now,
      toolServices: services,
      scope: async () => () => ({ services }),
    }),
  );
}
