/** The REST API on a real port over a fresh organization, with keys for everybody, for the tests of this package. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEgress } from '@parley/kit/egress';
import type { KeyFormat, KeyRole } from '@parley/identity';
import { detach } from '@parley/kit';
import type { Caller, CallRecord, Grants } from '@parley/kit';
import type { Store } from '@parley/store';
import { onTestFinished } from 'vitest';
import type { RestOptions } from '../src/rest.ts';
import { createRestRoutes } from '../src/rest.ts';
import type { TestFeedback } from '../src/testing/fixture.ts';
import { openFeedback } from '../src/testing/fixture.ts';

/** A body; tests know what they asked for. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
export type Loose = any;

/** An answer as a client sees it. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The text of the body, to the byte. */
  readonly text: string;
  readonly json: Loose;
}

export interface TestRequest {
  /** The text of a key; absent: no Authorization header. */
  readonly as?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A running API. */
export interface TestApi extends TestFeedback {
  readonly url: string;
  /** Keys of the form that this API makes. */
  readonly keys: { readonly admin: string; readonly member: string; readonly visitor: string };
  readonly records: CallRecord[];
  readonly faults: unknown[];
  call(method: string, path: string, request?: TestRequest): Promise<TestAnswer>;
  keyFor(caller: Caller, options?: KeyOptions): Promise<string>;
}

/** What a test may choose about a key. */
export interface KeyOptions {
  readonly grants?: Grants;
  readonly role?: KeyRole;
  readonly format?: KeyFormat;
  readonly expiresAt?: number | null;
}

/** What a test may choose about the server. */
export interface TestApiOptions extends Partial<RestOptions> {
  readonly now?: () => number;
  readonly slug?: string;
}

const PLENTY = 1_000_000;

// Every name is this machine, where nothing listens on the port of https.
const HOOKS = createEgress({
  allow: ['hooks.example.com'],
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
});

/** Serves the routes of a new organization until the test ends. */
export async function openRest(store: Store, options: TestApiOptions = {}): Promise<TestApi> {
  const { now, slug, ...rest } = options;
  const feedback = await openFeedback(store, {
    egress: HOOKS,
    ...(now !== undefined && { now }),
    ...(slug !== undefined && { slug }),
  });
  return serveRest(feedback, rest);
}

/** One more server over the same organization, as a second replica is. */
export async function serveRest(
  feedback: TestFeedback,
  options: Partial<RestOptions> = {},
): Promise<TestApi> {
  const records: CallRecord[] = [];
  const faults: unknown[] = [];
  const services = {
    ...feedback.services,
    onFault: (error: unknown) => {
      faults.push(error);
    },
  };
  const [routes] = createRestRoutes(services, {
    names: { hosts: [], origins: [] },
    ratePerMinute: PLENTY,
    failedKeysPerMinute: PLENTY,
    observe: (record) => {
      records.push(record);
    },
    ...options,
  });
  if (routes === undefined) throw new Error('There are no routes.');
  const server = createServer({ joinDuplicateHeaders: true }, (req, res) =>
    detach(routes.handle(req, res), (error) => res.destroy(error as Error)),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    await routes.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const keyFor = async (caller: Caller, { grants, expiresAt = null, ...more }: KeyOptions = {}) => {
    const made = await feedback.identity.createKey(caller, {
      name: 'Test key',
      grants: grants ?? { feedback: ['*'] },
      expiresAt,
      format: 'qb',
      ...more,
    });
    return made.text;
  };
  const { callers } = feedback;
  return {
    ...feedback,
    url,
    records,
    faults,
    keyFor,
    keys: {
      admin: await keyFor(callers.admin),
      member: await keyFor(callers.member),
      visitor: await keyFor(callers.visitor, { grants: {} }),
    },
    call: (method, path, request) => send(`${url}${path}`, method, request),
  };
}

async function send(
  url: string,
  method: string,
  { as, body, headers }: TestRequest = {},
): Promise<TestAnswer> {
  const isText = typeof body === 'string';
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(as !== undefined && { authorization: `Bearer ${as}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await textOf(answer);
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/** The body; of a stream only what came first, since it has no end. */
async function textOf(answer: Response): Promise<string> {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) return answer.text();
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(first?.value);
}
