/** One port: MCP to the gateway, a toolset's own routes by prefix, the rest to the operators' routes. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Gateway } from '@parley/gateway';
import { cutByStop, isResourceMetadata, writeRefusal } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import { createRouteTable, HttpRefusal, internalError } from '@parley/http';
import { detach } from '@parley/kit';
import { createBrokenRequests, hasOddExpectation, refuseExpectation } from './broken-requests.ts';
import type { Config } from './config.ts';
import { UsageError } from './config.ts';
import type { HttpFigures } from './http-figures.ts';
import { createHttpCounts } from './http-figures.ts';
import { ABSENT_FILES, ABSENT_OAUTH, isFrontPage, plainAnswerTo } from './known-strangers.ts';
import { createPipelines } from './pipelines.ts';
import type { Probes } from './probes.ts';
import { PROBE_PATHS } from './probes.ts';
import { createSilentConnections } from './silent-connections.ts';
import { cutSlowReaders } from './slow-readers.ts';
import { createUpgrades, isWebSocket } from './upgrades.ts';

/** The listening part of the server. */
export interface HttpServer {
  listen(): Promise<string>;
  /** From now on every answer is the last one on its connection, so that clients go elsewhere. */
  letGo(): void;
  /** Waits until no call is running, for so long at most. */
  quiet(timeoutMs: number): Promise<void>;
  stopAccepting(): Promise<void>;
  /** Waits until every call that is running is answered, as long as a stop may take; not for streams that end only when they are ended. */
  answered(): Promise<void>;
  /** Waits for running requests in what is left of that time, then ends the rest. */
  finish(): Promise<void>;
  /** What is open, and what was refused. */
  figures(): Promise<HttpFigures>;
}

/** How long running requests get once no new connection is accepted. */
export const STOP_MS = 10_000;
// For the last bytes of streams that were ended just now, and the first ones of a connection that came last.
const FLUSH_MS = 500;

/** What the server answers itself. */
const RESERVED = [
  { name: 'MCP', prefix: '/mcp', isWide: true },
  ...[...PROBE_PATHS, ...ABSENT_FILES, ...ABSENT_OAUTH].map((prefix) => ({ name: 'The server', prefix })),
];

/** What the port leads to. */
export interface HttpServerOptions {
  readonly config: Config;
  readonly gateway: Gateway;
  readonly probes: Probes;
  readonly routes: readonly RouteSet[];
  /** Answers who asks for nothing but the site; absent: a page that says what this is. */
  readonly front?: Pick<Gateway, 'handle'> | undefined;
  /** Told of every request. */
  onRequest(): void;
  /** Told of the calls that did not end in the time of a stop, by what they called. */
  onCut(names: readonly string[]): void;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Creates the server with the limits of the configuration. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { config, gateway, probes, onCut, onFault } = options;
  const routesFor = createRouteTable(options.routes, RESERVED);
  const handlerOf = (req: IncomingMessage): Pick<Gateway, 'handle'> => {
    const url = req.url ?? '/';
    if (url.startsWith('/mcp') && !url.includes('/.well-known/')) return gateway;
    if (isResourceMetadata(req)) return gateway.metadata;
    const routes = routesFor(url);
    if (routes !== undefined) return routes;
    if (options.front !== undefined && isFrontPage(req)) return options.front;
    const answer = plainAnswerTo(req, config.web.publicUrl);
    if (answer === undefined) return probes;
    return {
      async handle(_req, res) {
        gateway.checkDoor(req);
        answer(req, res);
      },
    };
  };
  const server = createServer({
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10_000,
    requestTimeout: config.limits.bodyTimeoutMs + 10_000,
    keepAliveTimeout: 65_000,
    // Node looks at these times every 30 s by default, which would treble them.
    connectionsCheckingInterval: 1000,
    // A repeated security header becomes a value that no check accepts, instead of the first one winning.
    joinDuplicateHeaders: true,
    // The door refuses a request without one, in the form of the surface it was meant for.
    requireHostHeader: false,
    // Every other request that offers an upgrade is answered as if it had not.
    shouldUpgradeCallback: isWebSocket,
  });
  // One more than allowed, so that the excess is seen instead of being dropped.
  server.maxHeadersCount = config.limits.headerFields + 1;

  server.maxConnections = config.limits.connections;

  const silent = createSilentConnections(server);
  let isLettingGo = false;
  const counts = createHttpCounts(server, (url) => {
    if (url.startsWith('/mcp')) return 'mcp';
    return routesFor(url)?.prefix ?? 'server';
  });
  const calls = createRunningCalls(server, counts.ended);
  const pipelines = createPipelines((req, res) => {
    options.onRequest();
    if (isLettingGo) res.shouldKeepAlive = false;
    if (req.headers.expect !== undefined && hasOddExpectation(req)) {
      refuseExpectation(res, routesFor(req.url ?? '/'));
      counts.ended(res);
      return;
    }
    if (req.method === 'POST' && req.headers['mcp-method'] !== 'subscriptions/listen') calls.add(res);
    else res.on('close', () => counts.ended(res));
    detach(
      () => handlerOf(req).handle(req, res),
      (error) => fail(res, error, onFault),
    );
  });
  cutSlowReaders(server, pipelines);
  server.on('request', pipelines.take);
  server.on('checkExpectation', pipelines.take);
  const { isFree } = pipelines;
  const checkDoor = (req: IncomingMessage) => gateway.checkDoor(req);
  server.on('upgrade', createUpgrades({ checkDoor, routesFor, isFree, onFault }));
  server.on('clientError', createBrokenRequests({ routesFor, pipelines, onRefused: counts.refused }));

  let closed: Promise<void> | undefined;
  // One time for the whole stop, however many steps wait in it.
  let stopBy = Infinity;
  const leftMs = () => Math.max(0, Math.min(STOP_MS, stopBy - performance.now()));
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, config)));
        server.listen(config.port, config.host, () => resolve(urlOf(server.address(), config.host)));
      }),
    letGo() {
      isLettingGo = true;
      calls.letGo();
    },
    quiet: (timeoutMs) => calls.none(timeoutMs),
    async stopAccepting() {
      isLettingGo = true;
      calls.letGo();
      stopBy = performance.now() + STOP_MS;
      closed = new Promise((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
    },
    answered: () => calls.none(leftMs()),
    figures: () => counts.figures(),
    async finish() {
      const cut = () => {
        const names = calls.cut();
        if (names.length > 0) onCut(names);
        server.closeAllConnections();
      };
      const timer = setTimeout(cut, Math.max(FLUSH_MS, leftMs()));
      const silence = setTimeout(() => silent.close(), FLUSH_MS);
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearInterval(idle);
      clearTimeout(silence);
      clearTimeout(timer);
    },
  };
}

interface RunningCalls {
  add(res: ServerResponse): void;
  /** Resolves when none is left, or after the time. */
  none(timeoutMs: number): Promise<void>;
  /** The answers that have not begun are the last ones on their connections. */
  letGo(): void;
  /** Those that still run are ended by this server, which their records say; returns what they called, as far as it is known. */
  cut(): string[];
}

const RUNNING = Symbol('running');

/** A connection with the call that is in work on it; pipelines see to it that there is one at most. */
interface CallLine extends Socket {
  [RUNNING]?: ServerResponse | undefined;
}

/**
 * Calls are kept by their connections. A set of the calls themselves would be rehashed with every few requests, and each
 * table that it leaves behind keeps what was in it until the next full collection: a third more time for every call.
 */
function createRunningCalls(server: Server, onEnd: (res: ServerResponse) => void): RunningCalls {
  const lines = new Set<CallLine>();
  let count = 0;
  let onNone: (() => void) | undefined;
  server.on('connection', (line: CallLine) => {
    lines.add(line);
    line.once('close', () => lines.delete(line));
  });
  const running = () => [...lines].flatMap(({ [RUNNING]: res }) => res ?? []);
  return {
    add(res) {
      const line: CallLine = res.req.socket;
      line[RUNNING] = res;
      count += 1;
      res.on('close', () => {
        // The next one may have begun by now.
        if (line[RUNNING] === res) line[RUNNING] = undefined;
        count -= 1;
        onEnd(res);
        if (count === 0) onNone?.();
      });
    },
    async none(timeoutMs) {
      if (count === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onNone = resolve;
      const timer = setTimeout(resolve, timeoutMs);
      await promise;
      clearTimeout(timer);
    },
    letGo() {
      for (const res of running()) if (!res.headersSent) res.shouldKeepAlive = false;
    },
    cut() {
      const left = running();
      for (const res of left) cutByStop(res);
      return left.map(({ req }) => req.headers['mcp-name']?.toString() ?? req.url ?? '/');
    },
  };
}

function fail(res: ServerResponse, error: unknown, onFault: HttpServerOptions['onFault']): void {
  if (!(error instanceof HttpRefusal)) onFault(error, 'http');
  if (res.headersSent) res.destroy();
  else writeRefusal(res, error instanceof HttpRefusal ? error : internalError());
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>['address']>, host: string): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function explain(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  if (error.code === 'EADDRINUSE') {
    return new UsageError(
      `Port ${port} is in use. Stop what runs there, or choose another with --port (0 picks a free one).`,
    );
  }
  if (error.code === 'EACCES')
    return new UsageError(`This user may not listen on port ${port}. Choose one above 1023.`);
  if (error.code === 'EADDRNOTAVAIL')
    return new UsageError(`This machine has no address ${host}. Choose another with --host.`);
  return error;
}
