/** The console: its pages and its API. Only their names are known here; the code is loaded by the first request. */
import type { Gateway } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import { errorBody } from '@parley/http/rest';
import { HttpRefusal } from '@parley/http';
import type { CallRecord } from '@parley/kit';
import type { Config } from '../config.ts';
import type { Host } from '../start/host.ts';

/** Tells of calls; nothing is kept while nobody follows. */
export interface CallFeed {
  follow(listener: (record: CallRecord) => void): () => void;
}

/** What the console stands on. */
export interface ConsoleParts {
  readonly host: Host;
  readonly gateway: Gateway;
  readonly config: Config;
  /** What else is served, for one document about all of it. */
  readonly others: readonly RouteSet[];
  /** Calls as they end, in this process. */
  readonly calls: CallFeed;
  /** Where the built pages are; absent: where the build puts them. */
  readonly files?: string | undefined;
}

export const API_PREFIX = '/api';
export const PAGES_PREFIX = '/console';

/** The sets of routes of the console. */
export function createConsole(parts: ConsoleParts): RouteSet[] {
  return [
    lateSet('Console API', API_PREFIX, async () => (await import('./api.ts')).createApi(parts)),
    lateSet('Console', PAGES_PREFIX, async () => (await import('./files.ts')).createFiles(parts)),
  ];
}

/** A set that is made when it is first asked for. */
function lateSet(name: string, prefix: string, make: () => Promise<RouteSet>): RouteSet {
  let made: Promise<RouteSet> | undefined;
  let current: RouteSet | undefined;
  const begin = async () => {
    try {
      return (current = await make());
    } catch (error) {
      // The next request tries again.
      made = undefined;
      throw error;
    }
  };
  const load = () => (made ??= begin());
  return {
    name,
    prefix,
    routes: async () => (await (await load()).routes?.()) ?? [],
    openApi: async () => (await (await load()).openApi?.()) ?? {},
    isGuarded: true,
    handle: async (req, res) => (await load()).handle(req, res),
    refusal: (status, message) => ({
      type: 'application/json',
      body: errorBody(new HttpRefusal(status, message)),
    }),
    streams: () => current?.streams?.() ?? 0,
    async close() {
      await current?.close();
    },
  };
}
