/** Pages whose address is a secret that works once: one door, one count per sender, one way to refuse, nothing kept. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AllowedNames, RouteSet } from '@parley/http';
import {
  createClientAddress,
  createFrontDoor,
  DEFAULT_INBOUND_LIMITS,
  HttpRefusal,
  internalError,
  MemoryWindows,
  namesWith,
} from '@parley/http';
import { checkedFields, writeAnswer } from '@parley/http/pages';
import { toRefusal } from '@parley/http/rest';
import { PAGE_POLICY, problemPage } from './page.ts';

/** What every such page needs of its server. */
export interface SecretPageOptions {
  readonly names: AllowedNames;
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly onFault: (error: unknown, where: string) => void;
}

/** An answer; its headers win over those of every page. */
export interface Page {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Throws when a sender asks more often than this per minute. */
export type CountRequest = (req: IncomingMessage) => void;

export interface SecretPages extends Pick<RouteSet, 'name' | 'prefix'> {
  readonly routes: readonly string[];
  readonly answer: (req: IncomingMessage, url: URL) => Promise<Page>;
  /** Where a person whose link does not work may go instead; absent: nowhere. */
  readonly instead?: { readonly path: string; readonly text: string } | undefined;
}

const MINUTE_MS = 60_000;
const REQUESTS_PER_MINUTE = 60;

/** The routes of the pages; each request is looked at and counted before its page is asked. */
export function secretPages(options: SecretPageOptions, pages: SecretPages): RouteSet {
  const { name, prefix, routes, answer, instead } = pages;
  const door = createFrontDoor(namesWith(options.names, options.publicUrl), DEFAULT_INBOUND_LIMITS);
  const count = countPerMinute(options, REQUESTS_PER_MINUTE);

  async function page(req: IncomingMessage): Promise<Page> {
    try {
      door.check(req);
      count(req);
      const url = new URL(req.url ?? '/', 'http://localhost');
      checkedFields(url.searchParams);
      return await answer(req, url);
    } catch (error) {
      const known = toRefusal(error);
      if (known === undefined) options.onFault(error, name.toLowerCase());
      return problemOf(known ?? internalError(), req, instead);
    }
  }

  return {
    name,
    prefix,
    routes: async () => [...routes],
    isGuarded: true,
    handle: async (req, res) => send(req, res, await page(req)),
    close: async () => undefined,
  };
}

/** Counts requests by their sender. */
export function countPerMinute({ trustedProxies }: SecretPageOptions, limit: number): CountRequest {
  const addressOf = createClientAddress(trustedProxies);
  const windows = new MemoryWindows({ spanMs: MINUTE_MS });
  return (req) => {
    const waitMs = windows.take([{ name: addressOf(req), limit }], Date.now());
    if (waitMs === 0) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    const headers = { 'retry-after': String(seconds) };
    throw new HttpRefusal(429, `That was a lot at once. Try again in ${seconds} seconds.`, { headers });
  };
}

/** Refuses a request of another kind than the page takes. */
export function requireMethod({ method }: IncomingMessage, methods: readonly string[]): void {
  if (methods.includes(method ?? '')) return;
  const headers = { allow: methods.join(', ') };
  throw new HttpRefusal(405, 'This address does not take that kind of request.', { headers });
}

function problemOf(
  { status, message, headers }: HttpRefusal,
  req: IncomingMessage,
  instead: SecretPages['instead'],
): Page {
  // What is left of a refused request is not read, so the connection cannot be used again.
  const ending = req.complete ? {} : { connection: 'close' };
  return {
    status,
    body: problemPage('This did not work', message, instead),
    headers: { ...headers, ...ending },
  };
}

function send(req: IncomingMessage, res: ServerResponse, { status, body, headers }: Page): void {
  writeAnswer(req, res, {
    status,
    body,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      // Without any referrer a browser would send its own form with the origin "null".
      'referrer-policy': 'same-origin',
      ...headers,
    },
  });
}
