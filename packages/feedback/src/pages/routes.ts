/** Every address of the public side: pages under `/feedback`, the feed, and `/api/public`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AllowedNames, RouteSet } from '@parley/http';
import {
  createClientAddress,
  createFrontDoor,
  DEFAULT_INBOUND_LIMITS,
  HttpRefusal,
  MemoryWindows,
} from '@parley/http';
import { checkSameOrigin, createPaths, readForm } from '@parley/http/pages';
import { notFound } from '../faults.ts';
import type { FeedbackServices } from '../services/index.ts';
import type { PublicReading } from '../services/public/public.ts';
import { createPublicReading } from '../services/public/public.ts';
import { ACTIONS } from './actions.ts';
import type { Answer, AnyAnswer } from './answer.ts';
import { send } from './answer.ts';
import { feed } from './feed.ts';
import { FILE_PATHS, fileAt } from './files.ts';
import { dataProblemOf, problemOf, refuse, Unpublished } from './problems.ts';
import { PUBLIC_PATHS, publicApi } from './public-api.ts';
import type { Site } from './sites.ts';
import { createSites } from './sites.ts';
import { PAGES } from './views/index.ts';
import type { Visit } from './visit.ts';
import { urlOf, visitOf } from './visit.ts';

/** What the routes need besides the services. */
export interface PageOptions {
  readonly names: AllowedNames;
  /** The address that the world knows this server by, when it is not the one that browsers ask for. */
  readonly publicUrl?: string | undefined;
  /** Organizations with a host name of their own, e.g. `beta=feedback.beta.example`. */
  readonly organizationHosts?: readonly string[] | undefined;
  /** Proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Requests of any kind from one address per minute, files aside; 600 by default. */
  readonly readsPerMinute?: number | undefined;
  /** Forms that one address may send per minute; 20 by default. */
  readonly writesPerMinute?: number | undefined;
  /** New visitors from one address per hour; 100 by default, since an office has one address. */
  readonly visitorsPerHour?: number | undefined;
}

const MINUTE_MS = 60_000;
const PAGES_PREFIX = '/feedback';
const pageAt = createPaths(PAGES);
const actionAt = createPaths(ACTIONS);
const API_PREFIX = '/api/public';
const FEED = '/changelog.xml';

const below = (method: string, places: Iterable<string>) =>
  [...places].map((place) => `${method} ${PAGES_PREFIX}${place === '/' ? '' : place}`);
const readsOf = (paths: readonly string[]) => paths.map((path) => `GET ${path}`);
const PAGE_ROUTES = [...below('GET', PAGES.keys()), ...below('POST', ACTIONS.keys()), ...readsOf(FILE_PATHS)];

/** Creates the routes. Nothing but 404 comes from them until the owner has switched publication on. */
export function createPageRoutes(services: FeedbackServices, options: PageOptions): RouteSet[] {
  const { identity, store, now } = services;
  const sites = createSites(options);
  const read = createPublicReading({ store, identity, now });
  const door = createFrontDoor(sites.names, DEFAULT_INBOUND_LIMITS);
  const addressOf = createClientAddress(options.trustedProxies ?? []);
  const { readsPerMinute = 600, writesPerMinute = 20, visitorsPerHour = 100 } = options;
  const reads = new MemoryWindows({ spanMs: MINUTE_MS, stepMs: 1000 });
  const writes = new MemoryWindows({ spanMs: MINUTE_MS });
  const visitors = new MemoryWindows({ spanMs: 60 * MINUTE_MS });

  /** What is published at a site, for whoever has not asked too often. */
  async function open(req: IncomingMessage, { slug }: Site): Promise<PublicReading> {
    refuse(reads.take([{ name: addressOf(req), limit: readsPerMinute }], now()), 'Too many requests.');
    const reading = await read(slug);
    if (reading === undefined) throw new Unpublished();
    return reading;
  }

  async function show(visit: Visit): Promise<AnyAnswer> {
    const found = await pageAt(placeOf(visit));
    const answer = await found?.entry(visit, found.params['at'] ?? '');
    if (answer === undefined) throw notFound('Page');
    return answer;
  }

  async function act(req: IncomingMessage, visit: Visit): Promise<Answer> {
    const found = await actionAt(placeOf(visit));
    if (found === undefined) throw notFound('Page');
    checkSameOrigin(req, sites.of(req).publicUrl);
    const name = addressOf(req);
    refuse(writes.take([{ name, limit: writesPerMinute }], now()), 'That was a lot at once.');
    const form = await readForm(req);
    const countVisitor = () => {
      const waitMs = visitors.take([{ name, limit: visitorsPerHour }], now());
      refuse(waitMs, 'Too many new visitors came from your address.');
    };
    return found.entry({ req, visit, form, services, countVisitor }, found.params['at'] ?? '');
  }

  async function handlePage(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let visit: Visit | undefined;
    try {
      door.check(req);
      const file = fileAt(new URL(req.url ?? '/', 'http://localhost'));
      if (file !== undefined && isRead(req)) return send(req, res, file);
      const site = sites.of(req);
      visit = await visitOf(req, { services, reading: await open(req, site), publicUrl: site.publicUrl });
      if (isRead(req)) return send(req, res, await show(visit));
      requireMethod(req, 'POST');
      return send(req, res, await act(req, visit));
    } catch (error) {
      return send(req, res, problemOf(error, { isRead: req.complete, visit, onFault: services.onFault }));
    }
  }

  async function handleData(
    req: IncomingMessage,
    res: ServerResponse,
    answer: (reading: PublicReading, url: URL) => Promise<Answer>,
  ): Promise<void> {
    try {
      door.check(req);
      const site = sites.of(req);
      const reading = await open(req, site);
      if (!isRead(req)) requireMethod(req, 'GET');
      return send(req, res, await answer(reading, urlOf(req, site.publicUrl)));
    } catch (error) {
      return send(req, res, dataProblemOf(error, services.onFault));
    }
  }

  const { onFault } = services;
  const pageOf = (fault: HttpRefusal) => problemOf(fault, { isRead: true, visit: undefined, onFault });
  const dataOf = (fault: HttpRefusal) => dataProblemOf(fault, onFault);
  return [
    {
      ...routeSet('Feedback pages', PAGES_PREFIX, PAGE_ROUTES, handlePage, pageOf),
      front: async (req) => ((await read(sites.of(req).slug)) === undefined ? undefined : PAGES_PREFIX),
    },
    routeSet(
      'Public feedback API',
      API_PREFIX,
      readsOf(PUBLIC_PATHS),
      (req, res) => handleData(req, res, publicApi),
      dataOf,
    ),
    routeSet(
      'Changelog feed',
      FEED,
      readsOf([FEED]),
      (req, res) =>
        handleData(req, res, async (reading, { pathname, origin }) => {
          if (pathname !== FEED) throw notFound('Feed');
          return feed(reading, origin);
        }),
      dataOf,
    ),
  ];
}

function routeSet(
  name: string,
  prefix: string,
  routes: readonly string[],
  handle: RouteSet['handle'],
  answerOf: (fault: HttpRefusal) => Answer,
): RouteSet {
  const refusal: RouteSet['refusal'] = (status, message) => {
    const { headers, body } = answerOf(new HttpRefusal(status, message));
    return { type: headers['content-type'] ?? 'text/plain', body };
  };
  const names = async () => routes;
  return { name, prefix, routes: names, isGuarded: true, handle, refusal, close: async () => undefined };
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function requireMethod({ method }: IncomingMessage, wanted: 'GET' | 'POST'): void {
  if (method === wanted) return;
  const allow = wanted === 'GET' ? 'GET, HEAD' : 'GET, HEAD, POST';
  throw new HttpRefusal(405, 'This address does not take that kind of request.', { headers: { allow } });
}

/** The path below `/feedback`. */
function placeOf({ url: { pathname } }: Visit): string {
  const place = pathname.slice(PAGES_PREFIX.length);
  return place === '' ? '/' : place;
}
