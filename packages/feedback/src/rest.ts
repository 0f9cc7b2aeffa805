/** REST at `/api/v1`: one table of routes over the services. Start reading at `rest/serve.ts`. */
import { detach } from '@parley/kit';
import type { Observer, RouteSet } from '@parley/kit';
import type { AllowedNames, InboundLimits } from '@parley/kit/inbound';
import { DEFAULT_INBOUND_LIMITS } from '@parley/kit/inbound';
import { BASE } from './rest/base.ts';
import { ERROR_STATUS, statusError } from './rest/errors.ts';
import { sweepAnswers } from './rest/idempotency/claims.ts';
import type { RateOptions } from './rest/rate/limiter.ts';
import { createRateLimiter } from './rest/rate/limiter.ts';
import type { Route } from './rest/route.ts';
import { ROUTES } from './rest/routes/index.ts';
import { createServe } from './rest/serve.ts';
import type { StreamLimits } from './rest/streams.ts';
import { createStreams } from './rest/streams.ts';
import type { FeedbackServices } from './services/index.ts';

/** What the program that serves the routes decides. */
export interface RestOptions extends RateOptions {
  /** Hosts besides the loopback ones, and other sites whose pages may call. */
  readonly names: AllowedNames;
  readonly limits?: Partial<InboundLimits>;
  /** Limits of `GET /stream`. */
  readonly streams?: Partial<StreamLimits>;
  /** Told of every call of a known caller, refused ones too. */
  readonly observe?: Observer;
}

/** The table of routes, for documents about it. */
export const restRoutes: readonly Pick<Route, 'method' | 'path' | 'summary' | 'who' | 'grants'>[] = ROUTES;

/** The codes of errors with their status, for documents about them. */
export const restErrors: Readonly<Record<string, number>> = ERROR_STATUS;

const BODY_BYTES = 1024 * 1024;
const SWEEP_EVERY_MS = 10 * 60_000;

/** Creates the routes of one server. */
export function createRestRoutes(services: FeedbackServices, options: RestOptions): RouteSet[] {
  const { store, now, onFault } = services;
  const rate = createRateLimiter(store, options, now);
  const limits = { ...DEFAULT_INBOUND_LIMITS, bodyBytes: BODY_BYTES, ...options.limits };
  const { names, observe } = options;
  const streams = createStreams(store.signal, options.streams);
  const serve = createServe(services, { routes: ROUTES, names, limits, rate, streams, observe });
  const sweep = () => Promise.all([rate.sweep(), sweepAnswers(store, now())]);
  const sweeping = setInterval(() => {
    detach(sweep(), (error) => onFault(error, 'feedback REST'));
  }, SWEEP_EVERY_MS).unref();
  return [
    {
      prefix: BASE,
      handle: serve,
      refusal: (status, message) => JSON.stringify(statusError(status, message).toBody()),
      async close() {
        clearInterval(sweeping);
        streams.close();
      },
    },
  ];
}
