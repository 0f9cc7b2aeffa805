/** A set of routes: one literal gives the served prefix, its guards, its limits and both documents about it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '@parley/identity';
import type { Caller, Observer } from '@parley/kit';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { InboundLimits } from '../body/limits.ts';
import { DEFAULT_INBOUND_LIMITS } from '../body/limits.ts';
import type { AllowedNames } from '../door/names.ts';
import { Claims } from '../idempotency/claims.ts';
import type { OnChange } from '../idempotency/once.ts';
import { documentsOf } from '../openapi/documents.ts';
import type { ApiWords } from '../openapi/openapi.ts';
import { openApiOf } from '../openapi/openapi.ts';
import type { RateOptions } from '../rate/request-rate.ts';
import { createRequestRate } from '../rate/request-rate.ts';
import { HttpRefusal, internalError } from '../refusal.ts';
import type { RouteSet } from '../route-set.ts';
import type { SignedIn } from '../session/signed-in.ts';
import type { DownloadLimits } from '../streams/downloads.ts';
import type { FeedLimits, FeedStreams } from '../streams/feed-streams.ts';
import { createFeedStreams } from '../streams/feed-streams.ts';
import type { NoticeSource, StreamLimits } from '../streams/notice-streams.ts';
import { createNoticeStreams } from '../streams/notice-streams.ts';
import { REQUEST_ID, errorAnswer, write } from './answers.ts';
import type { AccessRules } from './authorize.ts';
import { errorBody } from './to-refusal.ts';
import type { Route } from './route.ts';
import { routeName } from './route-name.ts';
import { createServe } from './serve.ts';

/** A set of routes as its author writes it; its two tables come from `createRestTables(toolset)`. */
export interface RoutesDefinition<Scope> extends ApiWords, AccessRules {
  /** Loads the table: most of a set is schemas, and many a server never gets a request for them. */
  routes(): Promise<readonly Route<Scope>[]>;
  /** What its `eventStream` routes tell of. */
  readonly notices?: NoticeSource;
}

/** The same with its table loaded. */
export interface RoutesTable<Scope> extends ApiWords, AccessRules {
  readonly routes: readonly Route<Scope>[];
}

/** What the program that serves the routes decides. */
export interface RestOptions extends RateOptions {
  /** Hosts besides the loopback ones, and other sites whose pages may call. */
  readonly names: AllowedNames;
  readonly limits?: Partial<InboundLimits>;
  /** Limits of event streams. */
  readonly streams?: Partial<StreamLimits>;
  /** Limits of feeds. */
  readonly feeds?: Partial<FeedLimits>;
  /** Limits of files that are sent. */
  readonly downloads?: Partial<DownloadLimits>;
  /** Told of every call of a known caller, refused ones too. */
  readonly observe?: Observer;
  /** The address of this site where a proxy stands before it; pages of it may send the cookie of the console. */
  readonly publicUrl?: string | undefined;
}

/** What a handler may know of the request besides what the route says, and of whoever sent it with a browser. */
export interface RouteExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly session: SignedIn | undefined;
}

export interface RoutesHost<Scope> extends RestOptions {
  readonly store: Store;
  /** Whose word on the client's address counts, when the options do not say. */
  readonly web?: {
    readonly trustedProxies: readonly string[];
    readonly publicUrl?: string | undefined;
  };
  readonly identity: Identity;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  /** What conditions of tools are asked with: the services of the toolset. */
  readonly toolServices: unknown;
  /** What handlers get for a caller; `onChange` must run in the transaction of whatever they change. */
  scope(caller: Caller, exchange: RouteExchange): Promise<(onChange?: OnChange) => Scope>;
}

/** A defined set of routes. */
export interface Routes<Scope> extends RoutesDefinition<Scope> {
  /** Serves the routes; everything it began ends with `close`. */
  serve(host: RoutesHost<Scope>): RouteSet;
}

const BODY_BYTES = 1024 * 1024;
const SWEEP_EVERY_MS = 10 * 60_000;

/**
 * Puts routes under one prefix.
 *
 * @example
 * const routes = async () => (await import('./notes.ts')).noteRoutes;
 * const api = defineRoutes({ prefix: '/api/notes', toolset: 'notes', title: 'Notes API', routes, ... });
 * // in the toolset: routes: (services, host) => api.serve({ ...host, scope: async () => () => ({ services }) })
 */
export function defineRoutes<Scope>(definition: RoutesDefinition<Scope>): Routes<Scope> {
  const { prefix, toolset, heading, notices } = definition;
  const where = `${toolset} REST`;
  return {
    ...definition,
    serve(host) {
      const { store, now } = host;
      const onFault = (error: unknown, requestId?: string) =>
        host.onFault(error, requestId === undefined ? where : `${where}, request ${requestId}`);
      const { trustedProxies = host.web?.trustedProxies ?? [] } = host;
      const rate = createRequestRate({ store, toolset, now }, { ...host, trustedProxies });
      const claims = new Claims(store, toolset);
      const parts = notices && { ...notices, toolset, signal: store.signal };
      const streams = parts && createNoticeStreams(parts, host.streams);
      let feeds: FeedStreams | undefined;
      const load = async () => {
        const routes = await definition.routes();
        if (routes.some(({ answer }) => answer.kind === 'feed'))
          feeds = createFeedStreams({ signal: store.signal, onFault: (error) => onFault(error) }, host.feeds);
        return createServe({ ...definition, routes }, host, {
          limits: { ...DEFAULT_INBOUND_LIMITS, bodyBytes: BODY_BYTES, ...host.limits },
          rate,
          streams,
          feeds,
          onFault,
          repeats: {
            store,
            claims,
            now,
            onFault: (error) => host.onFault(error, `${toolset} idempotency`),
          },
        });
      };
      let loaded: ReturnType<typeof load> | undefined;
      const sweep = () => Promise.all([rate.sweep(), claims.sweep(now())]);
      const sweeping = setInterval(() => {
        detach(sweep(), (error) => onFault(error));
      }, SWEEP_EVERY_MS).unref();
      return {
        name: heading,
        prefix,
        async routes() {
          const routes = await definition.routes();
          return [...documentsOf(prefix), ...routes.map((route) => routeName(prefix, route))];
        },
        openApi: async () => openApiOf({ ...definition, routes: await definition.routes() }),
        isGuarded: true,
        async handle(req, res) {
          const requestId = randomUUID();
          res.setHeader(REQUEST_ID, requestId);
          const serve = await (loaded ??= load()).catch((error: unknown) => {
            // The next request tries again.
            loaded = undefined;
            onFault(error, requestId);
          });
          if (serve === undefined) return write(req, res, errorAnswer(internalError()));
          return serve(req, res);
        },
        refusal: (status, message) => ({
          type: 'application/json',
          body: errorBody(new HttpRefusal(status, message)),
        }),
        streams: () => (streams?.size ?? 0) + (feeds?.size ?? 0),
        async close() {
          clearInterval(sweeping);
          streams?.close();
          feeds?.close();
        },
      };
    },
  };
}
