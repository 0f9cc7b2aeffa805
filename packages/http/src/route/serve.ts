/** One request through the stages: door, rate, key, route, rights, body, work, answer, record. */
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@parley/kit';
import { systemCaller } from '@parley/kit';
import type { Spent } from '@parley/store';
import { createFrontDoor } from '../door/front-door.ts';
import { namesWith } from '../door/names.ts';
import type { KeptAnswer } from '../idempotency/claims.ts';
import type { OnChange, OnceOptions } from '../idempotency/once.ts';
import { once } from '../idempotency/once.ts';
import type { InboundLimits } from '../body/limits.ts';
import { createDocuments } from '../openapi/documents.ts';
import { TokenBuckets } from '../rate/buckets.ts';
import type { RequestRate } from '../rate/request-rate.ts';
import type { ErrorCode } from '../refusal.ts';
import { HttpRefusal, internalError } from '../refusal.ts';
import { answerCors } from '../respond/cors.ts';
import { checkMatch } from '../respond/etag.ts';
import { checkSameOrigin } from '../session/csrf.ts';
import type { HttpAnswer } from '../respond/respond.ts';
import type { Download } from '../streams/downloads.ts';
import { createDownloads } from '../streams/downloads.ts';
import type { Feed, FeedStreams } from '../streams/feed-streams.ts';
import type { Streams } from '../streams/notice-streams.ts';
import { dataOf } from './answer.ts';
import type { RestAnswer } from './answers.ts';
import { REQUEST_ID, errorAnswer, routeAnswer, setCommonHeaders, write } from './answers.ts';
import type { Entrant } from './authenticate.ts';
import { browserEntrant, keyEntrant, keyTextOf } from './authenticate.ts';
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
  /** Is told of faults of ours, with the id that the answer carries. */
  readonly onFault: (error: unknown, requestId?: string) => void;
}

/** A request whose caller is known. */
interface Admitted extends Entrant {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Whoever has not said who they are has no rights. */
const NOBODY: Entrant = { caller: systemCaller('nobody', 'Nobody', ''), session: undefined };

/** What one person in a browser may ask for. */
const PEOPLE = { perSecond: 100, burst: 200 };

const CORS = {
  methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
  headers: 'authorization, content-type, idempotency-key, if-match, if-none-match',
  exposed: 'etag, location, retry-after, idempotency-supported, x-request-id',
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
  const matcher = createMatcher(definition.routes, prefix);
  const documents = createDocuments(definition);
  const access = createAccess(definition, host.toolServices, host.now);
  const { publicUrl = host.web?.publicUrl } = host;
  const door = createFrontDoor(namesWith(host.names, publicUrl), limits);
  const entry = { identity, rate, publicUrl };
  const people = new TokenBuckets(PEOPLE.perSecond, PEOPLE.burst);
  const sendFile = createDownloads((error) => onFault(error), host.downloads);

  /** Where requests are counted by address, people in the console are counted for themselves: an office has one address. */
  function countPerson({ id }: Caller): void {
    const waitMs = people.take(id);
    if (waitMs === 0) return;
    const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) };
    throw new HttpRefusal('RATE_LIMITED', 'Too many requests. Try again in a moment.', { headers });
  }

  async function admit(req: IncomingMessage, path: string): Promise<Entrant | HttpAnswer> {
    const { countCaller } = host;
    const person = await browserEntrant(req, entry);
    if (person !== undefined) {
      (countCaller ?? countPerson)(person.caller);
      return documents(req, path) ?? person;
    }
    const keyText = keyTextOf(req);
    if (countCaller === undefined) {
      await rate.count(req, keyText);
      return documents(req, path) ?? keyEntrant(req, entry);
    }
    const document = documents(req, path);
    if (document !== undefined || keyText === undefined) await rate.count(req, undefined);
    if (document !== undefined) return document;
    const known = await keyEntrant(req, entry);
    countCaller(known.caller);
    return known;
  }

  /** Whether a caller who was let in once would be let in now. */
  async function maySeeStill({ caller, session }: Entrant, route: Route<Scope>): Promise<boolean> {
    const today =
      session === undefined
        ? await identity.current(caller)
        : (await identity.web.find(session.token))?.caller;
    if (today?.organizationId !== caller.organizationId) return false;
    access.requireTeam(today);
    access.authorize(route, today);
    return true;
  }

  function openStream(admitted: Admitted, route: Route<Scope>): RestAnswer {
    const { res, caller } = admitted;
    if (streams === undefined) throw new Error(`${prefix} has a stream but no notices.`);
    const { id: callerId, organizationId } = caller;
    const mayStay = () => maySeeStill(admitted, route);
    const opened = streams.open({ res, callerId, organizationId, mayStay });
    return { status: 200, ...opened, code: null, isOpen: true };
  }

  async function openFeed(admitted: Admitted, route: Route<Scope>, feed: Feed): Promise<RestAnswer> {
    const { req, res, caller } = admitted;
    if (feeds === undefined) throw new Error(`${prefix} has no feeds.`);
    const given = req.headers['last-event-id'];
    const opened = await feeds.open({
      res,
      organizationId: caller.organizationId,
      lastEventId: typeof given === 'string' ? given : undefined,
      feed,
      mayStay: () => maySeeStill(admitted, route),
    });
    return { status: 200, ...opened, code: null, isOpen: true };
  }

  async function serveRoute(admitted: Admitted, match: Match<Route<Scope>>): Promise<RestAnswer> {
    const { req, caller } = admitted;
    const { route, params } = match;
    access.authorize(route, caller);
    if (route.who === 'anybody' && route.method !== 'GET') checkSameOrigin(req, publicUrl);
    const query = parseQuery(route, new URLSearchParams(splitUrl(req).search));
    if (route.answer.kind === 'stream') return openStream(admitted, route);
    const given = route.method === 'GET' ? undefined : await readBody(req, limits);
    const body = parseBody(route, given);
    access.authorizeBody(route, caller, body);
    const scopeFor = await host.scope(caller, admitted);
    const check = conditionOf(req, route, matcher);
    if (route.answer.kind === 'feed') {
      const feed = await route.run({ ...scopeFor(), caller, params, query, body, check });
      return openFeed(admitted, route, feed as Feed); // its answer says so
    }
    if (route.answer.kind === 'file') {
      const file = await route.run({ ...scopeFor(), caller, params, query, body, check });
      const { res } = admitted;
      setCommonHeaders(res);
      await sendFile({ req, res, organizationId: caller.organizationId }, file as Download); // its answer says so
      return { status: 200, headers: {}, body: undefined, code: null };
    }
    if (route.answer.kind === 'own') {
      await route.run({ ...scopeFor(), caller, params, query, body, check });
      return { status: 200, headers: {}, body: undefined, code: null };
    }
    const work = async (onChange?: OnChange): Promise<KeptAnswer> => {
      const result = await route.run({ ...scopeFor(onChange), caller, params, query, body, check });
      return keptAnswer(route, params, result);
    };
    const key = route.isRepeatable ? idempotencyKey(req) : undefined;
    if (key === undefined) return routeAnswer(req, route.method, await work());
    const request = {
      organizationId: caller.organizationId,
      callerId: caller.id,
      key,
      requestHash: hashOf(req, given),
      hasSecret: route.hasSecret,
    };
    const kept = await once(repeats, request, (onChange) =>
      work(onChange).catch((error: unknown) => keptError(error, admitted.res)),
    );
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
  function keptError(error: unknown, res: ServerResponse): KeptAnswer {
    const { status, body } = errorAnswer(explain(error, res));
    return { status, location: undefined, body };
  }

  function explain(error: unknown, res: ServerResponse): HttpRefusal {
    const known = toRefusal(error);
    if (known === undefined) onFault(error, String(res.getHeader(REQUEST_ID)));
    return known ?? internalError();
  }

  // The prefix itself is the root of the set, with or without its slash.
  const matchOf = ({ method = 'GET' }: IncomingMessage, path: string) =>
    matcher.match(method, path.slice(prefix.length) || '/');

  const hasOpenRoutes = definition.routes.some(({ who }) => who === 'anybody');
  const isOpen = (req: IncomingMessage, path: string) =>
    matchOf(req, path).then(
      ({ route }) => route.who === 'anybody',
      // What is wrong with it is for those who may know.
      () => false,
    );

  async function answerFor(admitted: Admitted, path: string) {
    const { req, res, caller } = admitted;
    let route: Route<Scope> | undefined;
    try {
      access.requireTeam(caller);
      const match = await matchOf(req, path);
      ({ route } = match);
      return { route, answer: await serveRoute(admitted, match) };
    } catch (error) {
      return { route, answer: errorAnswer(explain(error, res)) };
    }
  }

  async function serve(req: IncomingMessage, res: ServerResponse, spent: Spent | undefined): Promise<void> {
    try {
      const origin = door.check(req);
      if (origin !== undefined && answerCors(req, res, origin, CORS)) return;
      const { path } = splitUrl(req);
      if (hasOpenRoutes && (await isOpen(req, path))) {
        await rate.count(req, undefined);
        const answer = await serveRoute({ req, res, ...NOBODY }, await matchOf(req, path));
        return write(req, res, answer);
      }
      const admitted = await admit(req, path);
      if ('status' in admitted) {
        write(req, res, admitted);
        return;
      }
      spent?.admitted();
      const recording = beginRecord({ observe, toolset, prefix }, admitted.caller, traceparentOf(req));
      const { route, answer } = await answerFor({ req, res, ...admitted }, path);
      write(req, res, answer);
      recording.end(route, answer.code);
    } catch (error) {
      write(req, res, errorAnswer(explain(error, res)));
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
