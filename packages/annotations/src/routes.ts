/** Everything under `/__parley`: the overlay's script and the browser link, which guard themselves. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AllowedNames, RouteSet } from '@parley/http';
import {
  answerCors,
  answerRaw,
  createFrontDoor,
  DEFAULT_INBOUND_LIMITS,
  HttpRefusal,
  internalError,
} from '@parley/http';
import { detach } from '@parley/kit';
import { createHttpLink } from './link/http-link.ts';
import { LinkHub } from './link/hub.ts';
import { createSocketLink } from './link/socket.ts';
import type { AnnotationServices } from './services/index.ts';

/** What the routes need besides the services. */
export interface RouteOptions {
  readonly names: AllowedNames;
  /** The text of the overlay's script; undefined when it cannot be built here. */
  overlayScript(): Promise<string | undefined>;
}

const PREFIX = '/__parley';
const OVERLAY = `${PREFIX}/overlay.js`;
const SOCKET = `${PREFIX}/socket`;
const TIDY_EVERY_MS = 60 * 60_000;
const YEAR_S = 365 * 24 * 60 * 60;

const CORS = { headers: 'authorization, content-type', preflight: { 'access-control-max-age': '600' } };

export function createAnnotationRoutes(services: AnnotationServices, options: RouteOptions): RouteSet {
  const door = createFrontDoor(options.names, DEFAULT_INBOUND_LIMITS);
  const hub = new LinkHub(services);
  const sockets = createSocketLink(services, hub);
  // A process that serves pages lives long enough to tidy up.
  const tidy = () => detach(services.sweep(), (error) => services.onFault(error, 'annotations'));
  const tidying = setInterval(tidy, TIDY_EVERY_MS).unref();
  const link = createHttpLink(services, hub);
  const linkRoutes: Readonly<Record<string, { method: string; handle: typeof link.message }>> = {
    [`${PREFIX}/messages`]: { method: 'POST', handle: link.message },
    [`${PREFIX}/events`]: { method: 'GET', handle: link.events },
    [`${PREFIX}/screenshots`]: { method: 'POST', handle: link.screenshot },
  };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = pathOf(req);
    door.checkHost(req);
    if (path === OVERLAY) return serveOverlay(req, res, await options.overlayScript());
    const route = Object.hasOwn(linkRoutes, path) ? linkRoutes[path] : undefined;
    if (route === undefined) {
      if (path === SOCKET) throw new HttpRefusal(426, 'This path speaks WebSocket only.');
      throw new HttpRefusal(401, 'Nothing is served at this URL without a credential.');
    }
    const origin = requireOrigin(door.checkPage(req));
    if (answerCors(req, res, origin, { ...CORS, methods: route.method })) return;
    if (req.method !== route.method) throw new HttpRefusal(405, `Use ${route.method} here.`);
    return route.handle(req, res, origin);
  }

  return {
    name: 'Browser link',
    prefix: PREFIX,
    routes: async () => [
      `GET ${OVERLAY}`,
      ...Object.entries(linkRoutes).map(([path, { method }]) => `${method} ${path}`),
      `GET ${SOCKET}`,
    ],
    isGuarded: true,
    async handle(req, res) {
      try {
        await serve(req, res);
      } catch (error) {
        if (!(error instanceof HttpRefusal)) services.onFault(error, 'annotation routes');
        refuse(res, error instanceof HttpRefusal ? error : internalError());
      }
    },
    refusal: (status, message) => ({ type: 'application/json', body: errorMessage(status, message) }),
    upgrade(req, socket, head) {
      const fail = (error: unknown) => {
        if (!(error instanceof HttpRefusal)) services.onFault(error, 'annotation routes');
        const { status, message } = error instanceof HttpRefusal ? error : internalError();
        answerRaw(socket, status, { type: 'application/json', body: errorMessage(status, message) });
      };
      detach(async () => {
        if (pathOf(req) !== SOCKET) {
          door.checkHost(req);
          throw new HttpRefusal(400, 'WebSocket is not spoken at this URL.');
        }
        await sockets.accept(req, socket, head, requireOrigin(door.checkPage(req)));
      }, fail);
    },
    streams: () => hub.size,
    async close() {
      clearInterval(tidying);
      await hub.close();
      await sockets.close();
    },
  };
}

/** A page always says where it comes from; what does not is no page. */
function requireOrigin(origin: string | undefined): string {
  if (origin !== undefined) return origin;
  throw new HttpRefusal(403, 'The browser link needs an Origin header, as every browser sends it.');
}

function pathOf(req: IncomingMessage): string {
  return (req.url ?? '/').split('?')[0] ?? '/';
}

function serveOverlay(req: IncomingMessage, res: ServerResponse, script: string | undefined): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') throw new HttpRefusal(405, 'Use GET here.');
  if (script === undefined) {
    throw new HttpRefusal(503, 'The overlay is not built. Run "npm run build", then start again.');
  }
  const hash = createHash('sha256').update(script).digest('base64url').slice(0, 16);
  const isPinned = new URL(req.url ?? '/', 'http://localhost').searchParams.get('v') === hash;
  const headers = {
    etag: `"${hash}"`,
    'cache-control': isPinned ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
    'content-type': 'text/javascript; charset=utf-8',
    // Static and the same for everybody: any page may load it, and it does nothing without a token.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  };
  if (req.headers['if-none-match'] === headers.etag) {
    res.writeHead(304, headers).end();
    return;
  }
  res.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(script) });
  res.end(req.method === 'HEAD' ? undefined : script);
}

function refuse(res: ServerResponse, { status, message }: HttpRefusal): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  // What is left of the request is not read, so the connection cannot be used again.
  const headers = { 'content-type': 'application/json', connection: 'close' };
  res.writeHead(status, headers).end(errorMessage(status, message));
}

/** A refusal as the link tells everything else. */
function errorMessage(status: number, message: string): string {
  return JSON.stringify({ type: 'error', payload: { code: codeOf(status), message } });
}

function codeOf(status: number): string {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  return status === 413 ? 'invalid' : 'unavailable';
}
