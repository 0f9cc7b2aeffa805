/** The management routes beside the tools: sets below `/api`, each with its documents. */
import type { RouteSet } from '@parley/http';
import { defineRoutes } from '@parley/http/rest';
import { MANAGEMENT } from '../name.ts';
import type { MeshServices } from '../services/index.ts';
import type { MeshHost } from '../toolset.ts';
import { meshTools } from '../tools/index.ts';
import { managementToolsRoute } from './management-tools.ts';

const WORDS = { toolset: MANAGEMENT, version: '1', note: '', guards: meshTools, byName: 'name' } as const;

const toolsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/tools',
  title: 'Parley tools API',
  description: 'Which tools there are.',
  heading: 'Tools API',
  routes: [managementToolsRoute],
});

const SETS = [toolsApi];

/** The documents, which are the same for everybody. */
export const OPEN_PATHS = SETS.flatMap(({ prefix }) => [`${prefix}/openapi.json`, `${prefix}/docs`]);

export function createMeshRoutes(services: MeshServices, host: MeshHost): RouteSet[] {
  const { store, identity, names, observe, onFault, web } = host;
  return SETS.map((set) =>
    set.serve({
      names,
      observe,
      onFault,
      store,
      identity,
      trustedProxies: web.trustedProxies,
      now: Date.now,
      toolServices: services,
      scope: async () => () => ({ services }),
    }),
  );
}
