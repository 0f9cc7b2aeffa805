/** One request through the stages: door, rate, key, route, rights, body, work, answer, record. */
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Observer } from '@parley/kit';
import type { AllowedNames, InboundLimits } from '@parley/kit/inbound';
import { createFrontDoor } from '@parley/kit/inbound';
import type { StoreTransaction } from '@parley/store';
import type { FeedbackServices } from '../services/index.ts';
import { authenticate, keyTextOf } from './authenticate.ts';
import { authorize, authorizeBody, requireTeamCaller } from './authorize.ts';
import { BASE } from './base.ts';
import { parseBody, readBody } from './body.ts';
import { answerCors } from './cors.ts';
import { createDocuments } from './documents.ts';
import type { ErrorCode } from './errors.ts';
import { internalError, RestError, toRestError } from './errors.ts';
import { checkMatch } from './etag.ts';
import type { KeptAnswer } from './idempotency/claims.ts';
import { once } from './idempotency/once.ts';
import type { Match, Matcher } from './matching.ts';
import { createMatcher } from './matching.ts';
import { parseQuery } from './query.ts';
import type { RateLimiter } from './rate/limiter.ts';
import { beginRecord } from './record.ts';
import type { RestAnswer } from './respond.ts';
import { errorAnswer, routeAnswer, write } from './respond.ts';
import type { Route } from './route.ts';
import type { Streams } from './streams.ts';

/** What serving needs besides the services. */
export interface ServeOptions {
  readonly routes: readonly Route[];
  readonly names: AllowedNames;
  readonly limits: InboundLimits;
  readonly rate: RateLimiter;
  readonly streams: Streams;
  readonly observe?: Observer | undefined;
}

/** A request whose caller is known. */
interface Admitted {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly caller: Caller;
}

/** Creates the function that answers every request below the base. */
export function createServe(services: FeedbackServices, options: ServeOptions) {
  const { rate, limits, observe, streams } = options;
  const door = createFrontDoor(options.names, limits);
  const matcher = createMatcher(options.routes);
  const documents = createDocuments(options.routes);

  async function admit(req: IncomingMessage, path: string): Promise<Caller | RestAnswer> {
    await rate.count(req, keyTextOf(req));
    return documents(req, path) ?? authenticate(req, services.identity, rate);
  }

  /** Whether a caller who was let in once would be let in now. */
  async function maySeeStill(caller: Caller, route: Route): Promise<boolean> {
    const today = await services.identity.current(caller);
    if (today === undefined) return false;
    requireTeamCaller(today);
    authorize(route, today);
    return true;
  }

  async function serveRoute({ req, res, caller }: Admitted, { route, params }: Match): Promise<RestAnswer> {
    authorize(route, caller);
    const query = parseQuery(route, new URLSearchParams(splitUrl(req).search));
    if (route.answer.kind === 'stream') {
      const { id: callerId, organizationId } = caller;
      return streams.open({ res, callerId, organizationId, mayStay: () => maySeeStill(caller, route) });
    }
    const given = route.method === 'GET' ? undefined : await readBody(req, limits);
    const body = parseBody(route, given);
    authorizeBody(route, caller, body);
    const actor = await services.actor(caller);
    const check = conditionOf(req, route, matcher);
    const work = async (onChange?: (tx: StoreTransaction) => Promise<void>): Promise<KeptAnswer> => {
      const acting = onChange === undefined ? actor : { ...actor, onChange };
      const result = await route.run({ services, caller, actor: acting, params, query, body, check });
      return keptAnswer(route, params, result);
    };
    const key = route.method === 'POST' ? idempotencyKey(req) : undefined;
    if (key === undefined) return routeAnswer(route.method, await work(), req.headers['if-none-match']);
    const request = {
      organizationId: caller.organizationId,
      callerId: caller.id,
      key,
      requestHash: hashOf(req, given),
      hasSecret: route.hasSecret,
    };
    const kept = await once(services, request, (onChange) => work(onChange).catch(keptError));
    return { ...routeAnswer(route.method, kept, undefined), code: codeIn(kept) };
  }

  /** A fault that repetitions must see too. */
  function keptError(error: unknown): KeptAnswer {
    const { status, body } = errorAnswer(explain(error));
    return { status, location: undefined, body };
  }

  function explain(error: unknown): RestError {
    const known = toRestError(error);
    if (known !== undefined) return known;
    services.onFault(error, 'feedback REST');
    return internalError();
  }

  async function answerFor(admitted: Admitted, path: string) {
    const { req, caller } = admitted;
    let route: Route | undefined;
    try {
      requireTeamCaller(caller);
      const match = matcher.match(req.method ?? 'GET', path.slice(BASE.length));
      ({ route } = match);
      return { route, answer: await serveRoute(admitted, match) };
    } catch (error) {
      return { route, answer: errorAnswer(explain(error)) };
    }
  }

  return async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const origin = door.check(req);
      if (origin !== undefined && answerCors(req, res, origin)) return;
      const { path } = splitUrl(req);
      const admitted = await admit(req, path);
      if ('status' in admitted) {
        write(req, res, admitted);
        return;
      }
      const recording = beginRecord(observe, admitted);
      const { route, answer } = await answerFor({ req, res, caller: admitted }, path);
      write(req, res, answer);
      recording.end(route, answer.code);
    } catch (error) {
      write(req, res, errorAnswer(explain(error)));
    }
  };
}

/** The condition of a change; what has no tag of its own cannot meet any. */
function conditionOf({ headers, method }: IncomingMessage, route: Route, matcher: Matcher) {
  const ifMatch = headers['if-match'];
  if (ifMatch === undefined || (method !== 'PATCH' && method !== 'DELETE')) return undefined;
  if (!matcher.isTagged(route))
    throw new RestError(
      'PRECONDITION_FAILED',
      'Nothing here has an ETag. Send the request without If-Match.',
    );
  return checkMatch(ifMatch);
}

function splitUrl({ url = '/' }: IncomingMessage): { path: string; search: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}

function keptAnswer({ answer }: Route, params: Match['params'], result: unknown): KeptAnswer {
  const location = answer.locationOf(result, params);
  const body = answer.kind === 'none' ? undefined : JSON.stringify(answer.toBody(result));
  return { status: answer.status, location: location === undefined ? undefined : BASE + location, body };
}

const KEY = /^[\x20-\x7e]{1,255}$/;

function idempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new RestError('BAD_REQUEST', 'Idempotency-Key: must have 1 to 255 printable ASCII characters');
}

function hashOf(req: IncomingMessage, body: unknown): string {
  return hash('sha256', JSON.stringify([req.method, req.url, body ?? null]), 'base64url');
}

/** The code of an answer that was kept; only its body knows it. */
function codeIn({ status, body = '{}' }: KeptAnswer): ErrorCode | null {
  if (status < 400) return null;
  // Bodies of errors are kept as `errorAnswer` wrote them.
  const { error } = JSON.parse(body) as { error?: { code?: ErrorCode } };
  return error?.code ?? 'BAD_REQUEST';
}
