/** The management routes beside the tools: sets below `/api`, each with its documents. */
import type { RouteSet } from '@parley/http';
import type { RestOptions } from '@parley/http/rest';
import { defineRoutes } from '@parley/http/rest';
import { AUDIT_GUARD } from '../audit.ts';
import { DEFINITIONS_GUARD } from '../definitions.ts';
import { ORGANIZATION_UPDATE_GUARD } from '../guards.ts';
import { MANAGEMENT } from '../name.ts';
import type { MeshServices } from '../services/index.ts';
import type { MeshHost } from '../toolset.ts';
import { meshTools } from '../tools/index.ts';
import { WEBHOOKS_GUARD } from '../webhooks.ts';

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
  description:
    'What happened in an organization and what became of it, its webhooks, people, roles and keys.',
  heading: 'Organization API',
  guards: [...meshTools, WEBHOOKS_GUARD, ORGANIZATION_UPDATE_GUARD],
  routes: async () => [
    ...(await import('./events.ts')).eventRoutes,
    ...(await import('./webhooks.ts')).webhookRoutes,
    ...(await import('./people.ts')).peopleRoutes,
  ],
});

const toolsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/tools/management',
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
  routes: async () => (await import('./audit.ts')).auditRoutes,
});

const callsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/calls',
  title: 'Parley calls API',
  description: 'Recorded calls of tools and routes: lists, one in full, rates, errors, files.',
  heading: 'Calls API',
  routes: async () => (await import('./calls.ts')).callRoutes,
});
const connectionsApi = defineRoutes({
  ...WORDS,
  guards: [...meshTools, DEFINITIONS_GUARD],
  prefix: '/api/connections',
  title: 'Parley connections API',
  description: 'How the servers behind connections do, what they define, and what was agreed to of it.',
  heading: 'Connections API',
  routes: async () => [
    ...(await import('./connections.ts')).connectionRoutes,
    ...(await import('./definitions.ts')).definitionRoutes,
    ...(await import('./connection-auth.ts')).connectionAuthRoutes,
  ],
});

const virtualMcpsApi = defineRoutes({
  ...WORDS,
  prefix: '/api/virtual-mcps',
  title: 'Parley virtual MCPs API',
  description: 'What virtual MCPs show of their members, and trying tools in code.',
  heading: 'Virtual MCPs API',
  routes: async () => (await import('./virtual-mcps.ts')).virtualMcpRoutes,
});

const SETS = [publishApi, organizationApi, toolsApi, auditApi, callsApi, connectionsApi, virtualMcpsApi];

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
  const { connectionHealth, virtualMcps } = host;
  const audit = identity.audit;
  const scope = { services, events, audit, connectionAuth, identity, store, connectionHealth, virtualMcps };
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
      publicUrl: web.publicUrl,
      now: () => store.now(),
      toolServices: services,
      scope: async () => () => scope,
    }),
  );
}
