/** The API of the console: one set of routes at `/api`, beside those that toolsets bring below it. */
import type { IncomingMessage } from 'node:http';
import type { RouteSet } from '@parley/http';
import { createFrontDoor, namesWith } from '@parley/http';
import { defineRoutes } from '@parley/http/rest';
import type { Caller, CatalogTool } from '@parley/kit';
import { VERSION } from '../version.ts';
import { createApiServices } from './api-services.ts';
import type { ConsoleParts } from './index.ts';
import { API_PREFIX } from './index.ts';
import { joinedDocument, serveDocument } from './joined-document.ts';
import type { ConsoleScope } from './scope.ts';

const NAME = 'console';
/** Of requests without a session or a valid key. */
const RATE_PER_MINUTE = 1200;

export function createApi(parts: ConsoleParts): RouteSet {
  const { host, config, others } = parts;
  const services = createApiServices(parts);
  const { store, identity, names, observe, onFault, web } = host;
  const set = defineRoutes<ConsoleScope>({
    prefix: API_PREFIX,
    toolset: NAME,
    title: 'Parley console API',
    version: VERSION,
    description: 'What the console needs and no tool or other route has.',
    heading: 'Console API',
    note: `Everything below ${API_PREFIX} is in one document: ${API_PREFIX}/openapi.json.`,
    guards: host.engine().common.tools.map(guardOf),
    // A person chooses from a screen, not as a model does: decision 012.
    byName: 'wildcard',
    routes: async () => (await import('./routes/index.ts')).ROUTES,
  }).serve({
    names,
    observe,
    onFault,
    store,
    identity,
    limits: config.limits,
    ratePerMinute: RATE_PER_MINUTE,
    countCaller: host.countRequest,
    trustedProxies: web.trustedProxies,
    publicUrl: web.publicUrl,
    now: () => store.now(),
    toolServices: undefined,
    scope: async (_caller, exchange) => () => ({ ...parts, services, exchange }),
  });
  const door = createFrontDoor(namesWith(names, web.publicUrl), config.limits);
  // The set itself says why somebody is not.
  const isWelcome = (req: IncomingMessage) => {
    try {
      door.check(req);
      return true;
    } catch {
      return false;
    }
  };
  const openApi = () => joinedDocument([set, ...others]);
  return {
    ...set,
    openApi,
    streams: () => services.live.size,
    async handle(req, res) {
      if (!(await serveDocument(req, res, openApi, isWelcome))) await set.handle(req, res);
    },
    async close() {
      services.close();
      await set.close();
    },
  };
}

/** A tool as the rights of routes know it; its conditions are asked with its own services. */
function guardOf({ toolset, name, granted = name, privileged, unattended, available }: CatalogTool) {
  return {
    toolset,
    name: granted,
    ...(privileged !== undefined && { privileged }),
    ...(unattended !== undefined && { unattended }),
    ...(available !== undefined && {
      available: (_services: unknown, caller: Caller) => available(caller),
    }),
  };
}
