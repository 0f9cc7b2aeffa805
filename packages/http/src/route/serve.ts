/** One request through the stages: door, rate, key, route, rights, body, work, answer, record. */
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@parley/kit';
import type { Spent } from '@parley/store';
import { createFrontDoor } from '../door/front-door.ts';
import type { KeptAnswer } from '../idempotency/claims.ts';
import type { OnChange, OnceOptions } from '../idempotency/once.ts';
import { once } from '../idempotency/once.ts';
import type { InboundLimits } from '../body/limits.ts';
import { createDocuments } from '../openapi/documents.ts';
import type { RequestRate } from '../rate/request-rate.ts';
import type { ErrorCode } from '../refusal.ts';
import { HttpRefusal, internalError } from '../refusal.ts';
import { answerCors } from '../respond/cors.ts';
import { checkMatch } from '../respond/etag.ts';
import type { HttpAnswer } from '../respond/respond.ts';
import type { Feed, FeedStreams } from '../streams/feed-streams.ts';
import type { Streams } from '../streams/notice-streams.ts';
import { dataOf } from './answer.ts';
import type { RestAnswer } from './answers.ts';
import { errorAnswer, routeAnswer, write } from './answers.ts';
import { authenticate, keyTextOf } from './authenticate.ts';
import { createAccess } from './authorize.ts';
import { parseBody, readBody } from './body.ts';
import type { RoutesHost, RoutesTable } from './define-routes.ts';
import { toRefusal } from './to-refusal.ts';
import type { Match, Matcher } from './matching.ts';
import { createMatcher } from './matching.ts';
import { parseQuery } from './query.ts';
import { beginRecord } from './record.ts';
import type { Route, RouteFacts } from './route.ts';

/** What serving needs besides the definition and the host. */
export interface ServeParts {
  readonly limits: InboundLimits;
  readonly rate: RequestRate;
  /** Undefined where nothing is told. */
  readonly streams: Streams | undefined;
  /** Undefined where no route is a feed. */
  readonly feeds: FeedStreams | undefined;
  readonly repeats: OnceOptions;
  readonly onFault: (error: unknown) => void;
}

/** A request whose caller is known. */
interface Admitted {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly caller: Caller;
}

const CORS = {
  methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
  headers: 'authorization, content-type, idempotency-key, if-match, if-none-match',
  exposed: 'etag, location, retry-after, idempotency-supported',
  preflight: { 'idempotency-supported': 'true' },
};

/** Creates the function that answers every request below the prefix. */
export function createServe<Scope>(
  definition: RoutesTable<Scope>,
  host: RoutesHost<Scope>,
  { limits, rate, streams, feeds, repeats, onFault }: ServeParts,
) {
  const { prefix, toolset } = definition;
  const { identity, observe } = host;
  const door = createFrontDoor(host.names, limits);
  const matcher = createMatcher(definition.routes, prefix);
  const documents = createDocuments(definition);
  const access = createAccess(definition, host.toolServices);

  async function admit(req: IncomingMessage, path: string): Promise<Caller | HttpAnswer> {
    const { countCaller } = host;
    const keyText = keyTextOf(req);
    if (countCaller === undefined) {
      await rate.count(req, keyText);
      return documents(req, path) ?? authenticate(req, identity, rate);
    }
    const document = documents(req, path);
    if (document !== undefined || keyText === undefined) await rate.count(req, undefined);
    if (document !== undefined) return document;
    const caller = await authenticate(req, identity, rate);
    countCaller(caller);
    return caller;
  }

  /** Whether a caller who was let in once would be let in now. */
  async function maySeeStill(caller: Caller, route: Route<Scope>): Promise<boolean> {
    const today = await identity.current(caller);
    if (today === undefined) return false;
    access.requireTeam(today);
    access.authorize(route, today);
    return true;
  }

  function openStream({ res, caller }: Admitted, route: Route<Scope>): RestAnswer {
    if (streams === undefined) throw new Error(`${prefix} has a stream but no notices.`);
    const { id: callerId, organizationId } = caller;
    const opened = streams.open({ res, callerId, organizationId, mayStay: () => maySeeStill(caller, route) });
    return { status: 200, ...opened, code: null, isOpen: true };
  }

  async function openFeed(
    { req, res, caller }: Admitted,
    route: Route<Scope>,
    feed: Feed,
  ): Promise<RestAnswer> {
    if (feeds === undefined) throw new Error(`${prefix} has no feeds.`);
    const given = req.headers['last-event-id'];
    const opened = await feeds.open({
      res,
      organizationId: caller.organizationId,
      lastEventId: typeof given === 'string' ? given : undefined,
      feed,
      mayStay: () => maySeeStill(caller, route),
    });
    return { status: 200, ...opened, code: null, isOpen: true };
  }

  async function serveRoute(admitted: Admitted, match: Match<Route<Scope>>): Promise<RestAnswer> {
    const { req, caller } = admitted;
    const { route, params } = match;
    access.authorize(route, caller);
    const query = parseQuery(route, new URLSearchParams(splitUrl(req).search));
    if (route.answer.kind === 'stream') return openStream(admitted, route);
    const given = route.method === 'GET' ? undefined : await readBody(req, limits);
    const body = parseBody(route, given);
    access.authorizeBody(route, caller, body);
    const scopeFor = await host.scope(caller);
    const check = conditionOf(req, route, matcher);
    if (route.answer.kind === 'feed') {
      const feed = await route.run({ ...scopeFor(), caller, params, query, body, check });
      return openFeed(admitted, route, feed as Feed); // its answer says so
    }
    const work = async (onChange?: OnChange): Promise<KeptAnswer> => {
      const result = await route.run({ ...scopeFor(onChange), caller, params, query, body, check });
      return keptAnswer(route, params, result);
    };
    const key = route.method === 'POST' ? idempotencyKey(req) : undefined;
    if (key === undefined) return routeAnswer(req, route.method, await work());
    const request = {
      organizationId: caller.organizationId,
      callerId: caller.id,
      key,
      requestHash: hashOf(req, given),
      hasSecret: route.hasSecret,
    };
    const kept = await once(repeats, request, (onChange) => work(onChange).catch(keptError));
    return { ...routeAnswer(req, route.method, kept), code: codeIn(kept) };
  }

  function keptAnswer(
    { answer }: RouteFacts,
    params: Match<RouteFacts>['params'],
    result: unknown,
  ): KeptAnswer {
    const location = answer.locationOf(result, params);
    const body = answer.kind === 'none' ? undefined : JSON.stringify(answer.toBody(result));
    return { status: answer.status, location: location === undefined ? undefined : prefix + location, body };
  }

  /** A fault that repetitions must see too. */
  function keptError(error: unknown): KeptAnswer {
    const { status, body } = errorAnswer(explain(error));
    return { status, location: undefined, body };
  }

  function explain(error: unknown): HttpRefusal {
    const known = toRefusal(error);
    if (known === undefined) onFault(error);
    return known ?? internalError();
  }

  async function answerFor(admitted: Admitted, path: string) {
    const { req, caller } = admitted;
    let route: Route<Scope> | undefined;
    try {
      access.requireTeam(caller);
      // The prefix itself is the root of the set, with or without its slash.
      const match = await matcher.match(req.method ?? 'GET', path.slice(prefix.length) || '/');
      ({ route } = match);
      return { route, answer: await serveRoute(admitted, match) };
    } catch (error) {
      return { route, answer: errorAnswer(explain(error)) };
    }
  }

  async function serve(req: IncomingMessage, res: ServerResponse, spent: Spent | undefined): Promise<void> {
    try {
      const origin = door.check(req);
      if (origin !== undefined && answerCors(req, res, origin, CORS)) return;
      const { path } = splitUrl(req);
      const admitted = await admit(req, path);
      if ('status' in admitted) {
        write(req, res, admitted);
        return;
      }
      spent?.admitted();
      const recording = beginRecord({ observe, toolset, prefix }, admitted, traceparentOf(req));
      const { route, answer } = await answerFor({ req, res, caller: admitted }, path);
      write(req, res, answer);
      recording.end(route, answer.code);
    } catch (error) {
      write(req, res, errorAnswer(explain(error)));
    }
  }

  const { spending } = host.store;
  return (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const spent = spending.begin();
    return spending.within(spent, () => serve(req, res, spent));
  };
}

// Those of the one version that there is have 55 characters.
const LONGEST_TRACEPARENT = 128;

function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string' || traceparent.length > LONGEST_TRACEPARENT) return undefined;
  return traceparent;
}

/** The condition of a change; what has no tag of its own cannot meet any. */
function conditionOf(
  { headers, method }: IncomingMessage,
  route: RouteFacts,
  matcher: Pick<Matcher<RouteFacts>, 'isTagged'>,
) {
  const ifMatch = headers['if-match'];
  if (ifMatch === undefined || (method !== 'PATCH' && method !== 'DELETE')) return undefined;
  if (!matcher.isTagged(route))
    throw new HttpRefusal(
      'PRECONDITION_FAILED',
      'Nothing here has an ETag. Send the request without If-Match.',
    );
  return checkMatch(ifMatch, (current) => JSON.stringify(dataOf(current)));
}

function splitUrl({ url = '/' }: IncomingMessage): { path: string; search: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, search: '' } : { path: url.slice(0, at), search: url.slice(at + 1) };
}

const KEY = /^[\x20-\x7e]{1,255}$/;

function idempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new HttpRefusal('BAD_REQUEST', 'Idempotency-Key: must have 1 to 255 printable ASCII characters');
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
