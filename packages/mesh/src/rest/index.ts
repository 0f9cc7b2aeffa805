/** The management routes beside the tools: sets below `/api`, each with its documents. */
import type { RouteSet } from '@parley/http';
import type { RestOptions } from '@parley/http/rest';
import { defineRoutes } from '@parley/http/rest';
import { AUDIT_GUARD } from '../audit.ts';
import { DEFINITIONS_GUARD } from '../definitions.ts';
import { MANAGEMENT } from '../name.ts';
import type { MeshServices } from '../services/index.ts';
import type { MeshHost } from '../toolset.ts';
import { meshTools } from '../tools/index.ts';

const WORDS = { toolset: MANAGEMENT, version: '1', note: '', guards: meshTools, byName: 'name' } as const;

const publishApi = defineRoutes({
  ...WORDS,
  prefix: '/api/events',
  title: 'Parley publishing API',
  description: 'Publish events, as EVENT_PUBLISH does.',
  heading: 'Publishing API',
  routes: async () => [(await import('./events.ts')).publishRoute],
});

const organizationApi = defineRoutes({
  ...WORDS,
  prefix: '/api/organizations',
  title: 'Parley organization API',
  description: 'What happened in an organization, and what became of it.',
  heading: 'Organization API',
  routes: async () => (await import('./events.ts')).eventRoutes,
});

const toolsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/tools',
  title: 'Parley tools API',
  description: 'Which tools there are.',
  heading: 'Tools API',
  routes: async () => [(await import('./management-tools.ts')).managementToolsRoute],
});

const auditApi = defineRoutes({
  ...WORDS,
  guards: [AUDIT_GUARD],
  prefix: '/api/audit',
  title: 'Parley audit API',
  description: 'Who changed what in an organization, and what was denied.',
  heading: 'Audit API',
  routes: async () => [(await import('./audit.ts')).auditRoute],
});

const connectionsApi = defineRoutes({
  ...WORDS,
  guards: [...meshTools, DEFINITIONS_GUARD],
  prefix: '/api/connections',
  title: 'Parley connections API',
  description: 'What the servers behind connections define, and what was agreed to of it.',
  heading: 'Connections API',
  routes: async () => [
    ...(await import('./definitions.ts')).definitionRoutes,
    ...(await import('./connection-auth.ts')).connectionAuthRoutes,
  ],
});

const SETS = [publishApi, organizationApi, toolsApi, auditApi, connectionsApi];

/** The documents, which are the same for everybody. */
export const OPEN_PATHS = SETS.flatMap(({ prefix }) => [`${prefix}/openapi.json`, `${prefix}/docs`]);

/** Of requests without a valid key. */
const RATE_PER_MINUTE = 1200;

export function createMeshRoutes(
  services: MeshServices,
  host: MeshHost,
  options: Pick<RestOptions, 'feeds'> = {},
): RouteSet[] {
  const { store, identity, events, names, observe, onFault, web, connectionAuth } = host;
  const scope = { services, events, audit: identity.audit, connectionAuth };
  return SETS.map((set) =>
    set.serve({
      ...options,
      names,
      observe,
      onFault,
      store,
      identity,
      ratePerMinute: RATE_PER_MINUTE,
      countCaller: host.countRequest,
      trustedProxies: web.trustedProxies,
      now: Date.now,
      toolServices: services,
      scope: async () => () => scope,
    }),
  );
}
