/** The routes of agents: sets below `/api`, each with its documents. */
import type { RouteSet } from '@parley/http';
import { ownersWithAll } from '@parley/kit';
import { defineRoutes } from '@parley/http/rest';
import { AGENT } from '../name.ts';
import type { AgentServices } from '../services/index.ts';
import { agentTools } from '../tools/index.ts';
import type { AgentHost } from '../toolset.ts';
import { agentRoutes } from './agents.ts';
import { agentProjectRoutes, projectRoutes } from './projects.ts';
import { workRoutes } from './work.ts';

const WORDS = { toolset: AGENT, version: '1', note: '', guards: agentTools, byName: 'name' } as const;

const agentsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/agents',
  title: 'Parley agents API',
  description: 'Agents, their tools and what they are told.',
  heading: 'Agents API',
  routes: [...agentRoutes, ...agentProjectRoutes, ...workRoutes],
});

/** Commands of a project are run on this machine, so only owners set them. */
const ownersSetCode = { name: 'project_code', available: ownersWithAll };

const projectsApi = defineRoutes({
  ...WORDS,
  guards: [...agentTools, ownersSetCode],
  prefix: '/api/projects',
  title: 'Parley projects API',
  description: 'Where the code of projects lies.',
  heading: 'Projects API',
  routes: projectRoutes,
});

const SETS = [agentsApi, projectsApi];

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
