/** What went wrong, as a page for people and as JSON for programs. */
import { HttpRefusal, internalError } from '@parley/http';
import { errorBody, toRefusal } from '@parley/http/rest';
import type { Answer } from './answer.ts';
import { problemPage } from './views/forms.ts';
import type { Visit } from './visit.ts';

/** Told of faults of ours. */
export type OnFault = (error: unknown, where: string) => void;

/** Nothing is published here. */
export class Unpublished extends HttpRefusal {
  constructor() {
    super('NOT_FOUND', 'The owner of this server has not published its feedback pages.');
  }
}

/** Throws when there is something to wait for. */
export function refuse(waitMs: number, what: string): void {
  if (waitMs === 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
  throw new HttpRefusal(429, `${what} Try again in ${wait}.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

const TITLES: Readonly<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not possible',
  429: 'A little slower, please',
  500: 'Something broke',
  503: 'Not available right now',
};

/** What programs are told in two words, for people. */
const PEOPLE: Readonly<Record<string, string>> = {
  'Page not found': 'There is no page at this address. It may have moved, or the link is not complete.',
  'Post not found': 'This post is not here. It may have been deleted, or it is not public.',
  'Board not found': 'This board is not here. It may have been deleted, or it is not public.',
  'Comment not found': 'This comment is not here any more.',
  'Internal error': 'This is our fault, not yours. Try again in a moment.',
};

/** The request that a fault came of. */
export interface Failed {
  /** All of it was read. */
  readonly isRead: boolean;
  /** Undefined when nobody knows yet who asks. */
  readonly visit: Visit | undefined;
  readonly onFault: OnFault;
}

/** The page about a fault. */
export function problemOf(error: unknown, { isRead, visit, onFault }: Failed): Answer {
  const { status, headers, message } = knownFault(error, onFault);
  const title = error instanceof Unpublished ? 'Nothing here yet' : (TITLES[status] ?? 'That did not work');
  const answer = problemPage(visit, {
    status,
    title,
    message: PEOPLE[message] ?? (/[.!?]$/.test(message) ? message : `${message}.`),
  });
  // What is left of a refused request is not read, so the connection cannot be used again.
  const ending = isRead ? {} : { connection: 'close' };
  return { ...answer, headers: { ...answer.headers, ...headers, ...ending } };
}

/** The same as JSON. */
export function dataProblemOf(error: unknown, onFault: OnFault): Answer {
  const fault = knownFault(error, onFault);
  const type = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return {
    status: fault.status,
    headers: { ...fault.headers, ...type },
    body: errorBody(fault),
  };
}

function knownFault(error: unknown, onFault: OnFault): HttpRefusal {
  const known = toRefusal(error);
  if (known === undefined) onFault(error, 'feedback pages');
  return known ?? internalError();
}
