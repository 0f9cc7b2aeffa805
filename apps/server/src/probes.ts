/** The operators' routes: is it alive, is it ready, what does it do. */
import { MANAGEMENT } from '@parley/mesh/name';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from '@parley/gateway';
import { writeJson } from '@parley/gateway';
import { HttpRefusal } from '@parley/http';
import type { Identity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { isGranted, mayAdminister } from '@parley/kit';
import type { Store } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import { createAsked } from './drain.ts';
import { holdText } from './hold/held-row.ts';
import type { Hold } from './hold/hold.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** The server's own routes besides `/mcp`; toolsets bring theirs. */
export interface Probes {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** From now on `/ready` says no, so that a load balancer sends nothing more. */
  stopping(): void;
  /** The time between two questions for `/ready`; undefined when nobody asks again and again. */
  askedEveryMs(): number | undefined;
}

/**
 * The own routes that answer without a credential; toolsets declare theirs. A test holds them all.
 * What the owner publishes (`/feedback`, `/changelog.xml`, `/api/public`) is open once it is published.
 */
export const OPEN_ROUTES = ['/', '/health', '/ready', '/.well-known/oauth-protected-resource/mcp'] as const;

/** Where operators ask. */
export const PROBE_PATHS = ['/health', '/ready', '/metrics'] as const;

const RETRY_SECONDS = '5';

export function createProbes(options: {
  gateway: Gateway;
  identity: Pick<Identity, 'firstOrganizationId'>;
  store: Store;
  hold: Pick<Hold, 'held'>;
  metrics: Metrics;
  /** Connections of which lists may not show what there is. */
  degradedOf: (caller: Caller) => Promise<readonly object[]>;
}): Probes {
  const { gateway, identity, store, hold, metrics, degradedOf } = options;
  const asked = createAsked();
  let isStopping = false;

  async function ready(res: ServerResponse, more: object = {}): Promise<void> {
    const problem = isStopping ? { reason: 'stopping' } : await problemOf(store);
    const state = problem === undefined ? { status: 'ready' } : { status: 'not_ready', ...problem };
    const held = hold.held();
    const body = { ...state, ...(held !== undefined && { held: holdText(held) }), ...more };
    const again = problem === undefined ? {} : { 'retry-after': RETRY_SECONDS };
    writeJson(res, problem === undefined ? 200 : 503, JSON.stringify(body), again);
  }

  /** Which connections are unwell is for those who run the server; anybody may ask whether it is ready. */
  async function readyInFull(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const caller = await gateway.admit(req);
    if (!(await isOperator(caller)))
      throw new HttpRefusal(404, 'Nothing is served at this URL.', { rpc: -32601 });
    await ready(res, { degraded: await degradedOf(caller) });
  }

  async function showMetrics(res: ServerResponse): Promise<void> {
    const text = await metrics.text();
    res.writeHead(200, { 'content-type': metrics.contentType });
    res.end(text);
  }

  /** Metrics are about the whole server, so they are for those who run it: the organization it began with. */
  async function isOperator(caller: Caller): Promise<boolean> {
    if (!mayAdminister(caller) || !isGranted(caller.grants, MANAGEMENT, '*')) return false;
    return caller.organizationId === (await identity.firstOrganizationId());
  }

  return {
    async handle(req, res) {
      const path = (req.url ?? '/').split('?')[0] ?? '/';
      const isRead = req.method === 'GET' || req.method === 'HEAD';
      if (isRead && (path === '/health' || path === '/ready')) {
        gateway.checkDoor(req);
        if (path === '/ready' && isVerbose(req)) return readyInFull(req, res);
        if (path === '/ready') {
          asked.note();
          return ready(res);
        }
        writeJson(res, 200, '{"status":"ok"}');
        return;
      }
      const caller = await gateway.admit(req);
      if (isRead && path === '/metrics' && (await isOperator(caller))) return showMetrics(res);
      throw new HttpRefusal(404, 'Nothing is served at this URL.', { rpc: -32601 });
    },
    stopping() {
      isStopping = true;
    },
    askedEveryMs: () => asked.everyMs(),
  };
}

function isVerbose({ url = '/' }: IncomingMessage): boolean {
  return new URLSearchParams(url.split('?')[1] ?? '').has('verbose');
}

/** Why this process should get no requests, in words without paths; undefined when it should. */
async function problemOf(store: Store): Promise<{ reason: string; detail?: string } | undefined> {
  try {
    await store.ping();
  } catch (error) {
    const isKnown = error instanceof StoreUnavailableError;
    return { reason: 'database', ...(isKnown && { detail: error.message }) };
  }
  if (!store.signal.isBroken()) return undefined;
  return { reason: 'change_link', detail: 'Changes by other processes do not arrive right now.' };
}
