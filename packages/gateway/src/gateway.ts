/** The way of a request over HTTP, stage by stage: door, authenticate, rate, endpoint, body, dispatch; `calls/` has the last, record. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Engine } from '@parley/kit';
import { RPC } from '@parley/kit';
import type { Spent } from '@parley/store';
import type { AllowedNames } from '@parley/http';
import { answerCors, createFrontDoor, HttpRefusal, readJson } from '@parley/http';
import { asHttpRefusal } from './calls/unavailable-store.ts';
import { writeJson, writeRefusal } from './http/answers.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { createDispatch } from './http/dispatch.ts';
import type { EndpointOf, IsInactive } from './http/endpoint.ts';
import { createEndpointOf } from './http/endpoint.ts';
import type { LegOptions } from './http/legs.ts';
import { createPlainRoute, plainCallOf } from './http/plain-route.ts';
import { resourceMetadata } from './http/resource-metadata.ts';
import type { CountRequest } from './http/request-rate.ts';
import { createArrivals } from './replicas/arrivals.ts';
import type { ResumeHere } from './replicas/parked-calls.ts';
import type { VirtualMcpEngines } from './virtual/registry.ts';

/** What the gateway is built from. */
export interface GatewayOptions extends LegOptions {
  readonly engine: Engine;
  readonly names: AllowedNames;
  /** The stage of the rate; routes that are not MCP share it. */
  readonly countRequest: CountRequest;
  /** What organizations put together themselves; absent: nothing is. */
  readonly virtual?: VirtualMcpEngines | undefined;
  /** What is there and switched off; absent: nothing. */
  readonly isInactive?: IsInactive | undefined;
  /** Looks for connections that another process has just made; absent: there are none. */
  readonly lookAgain?: ((organizationId: string) => Promise<void>) | undefined;
  /** Goes on with calls that wait in this process; for other replicas. */
  readonly resumeParked?: ResumeHere | undefined;
  /** Where clients reach this server; absent: where they say that they do. */
  readonly publicUrl?: string | undefined;
  /** Told of everybody who comes over MCP; must not throw and must not wait. */
  readonly arrived?: ((caller: Caller) => void) | undefined;
  /** Serves requests without a credential as this caller; tests only, no configuration sets it. */
  readonly anonymous?: Caller | undefined;
}

/** Serves everything under `/mcp`, and guards other routes the same way. */
export interface Gateway {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Serves what `isResourceMetadata` recognises, to everybody. */
  readonly metadata: Pick<Gateway, 'handle'>;
  /** The first stages alone, for routes that are not MCP: throws a refusal or answers the caller. */
  admit(req: IncomingMessage): Promise<Caller>;
  /** What is served below `/mcp/` under a name, and the query after it, for a caller; undefined: nothing. */
  readonly engineAt: EndpointOf;
  /** Host and Origin checks alone, for the open routes. */
  checkDoor(req: IncomingMessage): void;
  /** What is open right now. */
  figures(): Promise<GatewayFigures>;
  close(): Promise<void>;
}

/** What is open in this process. */
export interface GatewayFigures {
  /** Sessions of 2025. */
  readonly sessions: number;
  /** Streams by what they are: of `subscriptions/listen`, of a session, of a plain call. */
  readonly streams: Readonly<Record<'listen' | 'session' | 'plain', number>>;
}

const CORS = {
  methods: 'POST, GET, DELETE',
  headers: (asked = 'authorization, content-type') => asked,
  exposed: 'mcp-session-id, mcp-protocol-version, www-authenticate',
};

/** Creates the gateway; the SDK is loaded with the first request that needs it. */
export function createGateway(options: GatewayOptions): Gateway {
  const { limits, countRequest, onFault, replicas, spending } = options;
  const door = createFrontDoor(options.names, limits);
  const authenticate = createAuthenticate(options);
  const endpointOf = createEndpointOf(options.engine, options);
  const dispatch = createDispatch(options, countRequest);
  const plainRoute = createPlainRoute(limits);
  const within = <T>(spent: Spent | undefined, work: () => T): T =>
    spending === undefined ? work() : spending.within(spent, work);
  const fromReplica = createArrivals({ limits, endpointOf, dispatch, resumeParked: options.resumeParked });

  return {
    async handle(req, res) {
      try {
        const arrival = replicas?.arrivalOf(req);
        if (arrival !== undefined) return await fromReplica(req, res, arrival);
        const listedOrigin = door.check(req);
        if (listedOrigin !== undefined && answerCors(req, res, listedOrigin, CORS)) return;
        const found = authenticate(req);
        let spent: Spent | undefined;
        let caller: Caller;
        // What is known already is not waited for: a turn of waiting costs more than the look-up.
        if (found instanceof Promise) {
          spent = spending?.begin();
          caller = await found;
          spent?.admitted();
        } else caller = found;
        countRequest(caller);
        const [path, query] = splitUrl(req);
        const plain = plainCallOf(path);
        const endpoint = endpointOf(plain?.endpoint ?? path, caller, query);
        const engine = endpoint instanceof Promise ? await endpoint : endpoint;
        if (engine === undefined) {
          await dispatch.nowhere(req, caller);
          throw new HttpRefusal(404, 'Nothing is served at this URL.', { rpc: RPC.methodNotFound });
        }
        options.arrived?.(caller);
        const served = { caller, engine };
        if (plain !== undefined)
          return await within(spent ?? spending?.begin(), () =>
            plainRoute.call(req, res, served, plain.tool),
          );
        if (req.method !== 'POST') return await dispatch.bodyless(req, res, served);
        const body = await readJson(req, limits);
        // A call that waited for nothing so far may wait for nothing at all, and pays for no count of its time.
        if (spent === undefined) await dispatch.message(req, res, served, body);
        else await within(spent, () => dispatch.message(req, res, served, body));
      } catch (error) {
        fail(res, asHttpRefusal(error), onFault);
      }
    },
    metadata: {
      async handle(req, res) {
        try {
          const listedOrigin = door.check(req);
          if (listedOrigin !== undefined && answerCors(req, res, listedOrigin, CORS)) return;
          if (req.method === 'OPTIONS')
            throw new HttpRefusal(405, 'Method not allowed.', { headers: { allow: 'GET' } });
          writeJson(res, 200, JSON.stringify(resourceMetadata(req, options.publicUrl)));
        } catch (error) {
          fail(res, error, onFault);
        }
      },
    },
    async admit(req) {
      door.check(req);
      try {
        const caller = await authenticate(req);
        countRequest(caller);
        return caller;
      } catch (error) {
        throw asHttpRefusal(error);
      }
    },
    engineAt: (name, caller, query) => endpointOf(`/mcp/${name}`, caller, query),
    checkDoor(req) {
      door.check(req);
    },
    async figures() {
      const { sessions, listen, session } = await dispatch.figures();
      return { sessions, streams: { listen, session, plain: plainRoute.open() } };
    },
    close: () => dispatch.close(),
  };
}

/** Path and query of a request. */
function splitUrl(req: IncomingMessage): [path: string, query: string] {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

function fail(res: ServerResponse, error: unknown, onFault: GatewayOptions['onFault']): void {
  if (error instanceof HttpRefusal) {
    writeRefusal(res, error);
    return;
  }
  onFault(error, 'gateway');
  if (res.headersSent) res.destroy();
  else writeRefusal(res, new HttpRefusal(500, 'Internal error', { rpc: RPC.internalError }));
}
