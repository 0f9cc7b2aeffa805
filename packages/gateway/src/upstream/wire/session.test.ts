/** What links promise about sessions of the 2025 era. */
import type { ServerResponse } from 'node:http';
import type { InputResponse } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import type { Turn, WireScript, WireUpstream } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, test } from 'vitest';
import { callOf, faultOf, linksBed, targetOf } from '../../../test/links-bed.ts';

const ASKABLE = { elicitation: {}, sampling: {}, roots: {} };
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

const serve = (methods: WireScript['methods'] = {}, more: Partial<WireScript> = {}): Promise<WireUpstream> =>
  serveWire({ era: '2025', methods, ...more });

interface Refusal {
  readonly status: number;
  readonly code?: number;
  readonly message?: string;
}

/** Refuses a request, with an error in the body where there is a code. */
function refuse(response: ServerResponse, refusal: Refusal | 'closed'): true {
  if (refusal === 'closed') {
    response.destroy();
    return true;
  }
  const { status, code, message = 'Bad Request: No valid session ID provided' } = refusal;
  const body = { jsonrpc: '2.0', id: null, error: { code, message } };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(code === undefined ? '' : JSON.stringify(body));
  return true;
}

const methodsOf = (server: WireUpstream) => server.heard.map(({ message }) => message.method);

describe('a session', () => {
  test('is opened once with what the client can do, and kept', async () => {
    const server = await serve();
    const { link, eras } = linksBed();
    const capabilities = { elicitation: { form: {} }, tasks: {}, extensions: { x: {} } };
    await link(server.url, { era: 'legacy' }).request(callOf({ a: 1 }, { capabilities }));
    await link(server.url, { era: 'legacy' }).request(callOf({ a: 2 }, { capabilities }));
    expect(methodsOf(server)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
      'tools/call',
    ]);
    expect(server.of('initialize')[0]?.params).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {} }, extensions: { x: {} } },
      clientInfo: { name: 'parley', version: '0.0.0' },
    });
    expect(server.heard.at(-1)?.headers).toMatchObject({
      'mcp-session-id': [...server.sessions][0],
      'mcp-protocol-version': '2025-06-18',
    });
    expect(server.heard.at(-1)?.headers).not.toHaveProperty('mcp-method');
    expect(server.of('tools/call')[0]?.params).toEqual({ name: 'echo', arguments: { a: 1 } });
    expect(eras).toEqual([]);
  });

  test('is found out about when nothing is known, and tells about the server', async () => {
    const server = await serve();
    const { link, eras } = linksBed();
    expect(await link(server.url).facts()).toEqual({
      era: 'legacy',
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      info: { name: 'wire', version: '1.0.0' },
      instructions: 'Be kind.',
    });
    expect(eras).toEqual(['conn_test legacy']);
    expect(methodsOf(server)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  test('is never shared by people, credentials, capabilities or headers of their own', async () => {
    const server = await serve();
    const { link } = linksBed();
    const era = 'legacy';
    await link(server.url, { era, principal: 'ann' }).request(callOf());
    await link(server.url, { era, principal: 'bob' }).request(callOf());
    await link(server.url, { era, principal: 'bob', token: 'new' }).request(callOf());
    await link(server.url, { era, principal: 'bob', token: 'new' }).request(
      callOf({}, { capabilities: ASKABLE }),
    );
    const key = (value: string) => callOf({}, { headers: { 'x-key': value } });
    await link(server.url, { era, principal: 'bob' }).request(key('one'));
    await link(server.url, { era, principal: 'bob' }).request(key('two'));
    await link(server.url, { era, principal: 'bob' }).request(key('two'));
    expect(server.of('initialize')).toHaveLength(6);
    expect(server.heard.at(-2)?.message.method).toBe('tools/call');
    const opened = server.heard.filter(({ message }) => message.method === 'initialize');
    expect(opened.map(({ headers }) => headers['x-key'])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'one',
      'two',
    ]);
  });

  test('that the server forgets at once is a fault, and no loop', async () => {
    const server = await serve(
      {},
      {
        fault: ({ body }, response) => {
          if (!body.includes('tools/call')) return false;
          response.writeHead(404).end();
          return true;
        },
      },
    );
    const work = linksBed().link(server.url, { era: 'legacy' }).request(callOf());
    expect(await faultOf(work)).toMatchObject({ kind: 'broken' });
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('ends when it is idle, when there are too many, and with its connection', async () => {
    const server = await serve();
    let now = 0;
    const { link, links } = linksBed({ now: () => now, limits: { maxSessions: 2, sessionIdleMs: 100 } });
    const call = (principal: string) => link(server.url, { era: 'legacy', principal }).request(callOf());
    await call('ann');
    now = 1;
    await call('bob');
    now = 2;
    await call('cy');
    // The oldest one went.
    await eventually(() => expect([...server.sessions]).toEqual(['session-2', 'session-3']));
    now = 101;
    await eventually(() => expect([...server.sessions]).toEqual(['session-3']));
    await links.forget('conn_test');
    expect([...server.sessions]).toEqual([]);
    await call('cy');
    expect(server.of('initialize')).toHaveLength(4);
  });

  test('has no place left when all are in use', async () => {
    const held: Turn[] = [];
    const server = await serve({ 'tools/call': (turn) => held.push(turn) });
    const { link } = linksBed({ limits: { maxSessions: 1 } });
    const first = link(server.url, { era: 'legacy', principal: 'ann' }).request(callOf());
    await eventually(() => expect(held).toHaveLength(1));
    const second = link(server.url, { era: 'legacy', principal: 'bob' }).request(callOf());
    expect(await faultOf(second)).toMatchObject({ kind: 'rate_limited', wasSent: false });
    held[0]?.result({ content: [] });
    expect(await first).toEqual({ content: [] });
  });
});

describe('a session that the server forgot', () => {
  test.each<[string, Refusal]>([
    ['as not found', { status: 404 }],
    ['as a bad request', { status: 400 }],
    ['as a bad request without a session', { status: 400, code: -32000 }],
    ['as an invalid request', { status: 400, code: -32600 }],
    ['as gone', { status: 410 }],
  ])('and refuses %s is opened anew once, and each call is made once', async (_name, refusal) => {
    const forgotten = new Set<unknown>();
    const server = await serve(
      {},
      {
        fault: ({ headers }, response) =>
          forgotten.has(headers['mcp-session-id']) && refuse(response, refusal),
      },
    );
    const { links } = linksBed();
    const target = targetOf(server.url, { era: 'legacy' });
    await links.of(target).request(callOf());
    for (const id of server.sessions) forgotten.add(id);
    const made = Array.from({ length: 5 }, (_each, index) => links.of(target).request(callOf({ index })));
    expect(await Promise.all(made)).toMatchObject(
      made.map((_each, index) => ({ content: [{ text: `{"index":${index}}` }] })),
    );
    expect(server.of('initialize')).toHaveLength(2);
    expect(server.of('tools/call')).toHaveLength(6);
  });

  test('leaves the calls under way to their own answers', async () => {
    const held: Turn[] = [];
    const server = await serve({
      'tools/call': (turn) => (turn.message.params?.name === 'slow' ? held.push(turn) : turn.result({})),
    });
    const { links } = linksBed();
    const target = targetOf(server.url, { era: 'legacy' });
    const slow = links.of(target).request(callOf({}, { params: { name: 'slow' } }));
    await eventually(() => expect(held).toHaveLength(1));
    server.sessions.clear();
    expect(await links.of(target).request(callOf())).toEqual({});
    held[0]?.result({ content: ['done'] });
    expect(await slow).toEqual({ content: ['done'] });
    expect(server.of('initialize')).toHaveLength(2);
    expect(server.of('tools/call')).toHaveLength(2);
  });

  test('lets go of them with its connection', async () => {
    const held: Turn[] = [];
    const server = await serve({
      'tools/call': (turn) => (turn.message.params?.name === 'slow' ? held.push(turn) : turn.result({})),
    });
    const { links } = linksBed();
    const target = targetOf(server.url, { era: 'legacy' });
    const slow = faultOf(links.of(target).request(callOf({}, { params: { name: 'slow' } })));
    await eventually(() => expect(held).toHaveLength(1));
    server.sessions.clear();
    await links.of(target).request(callOf());
    await links.forget('conn_test');
    expect(await slow).toMatchObject({ kind: 'dropped', wasSent: true });
    await held[0]?.closed;
  });

  test('is not confused with a request that it refuses', async () => {
    const server = await serve(
      {},
      {
        fault: ({ body }, response) =>
          body.includes('"bad"') && refuse(response, { status: 400, code: -32000, message: 'No such book' }),
      },
    );
    const { link } = linksBed();
    const target = { era: 'legacy' } as const;
    await link(server.url, target).request(callOf());
    const bad = link(server.url, target).request(callOf({ bad: 1 }));
    expect(await faultOf(bad)).toMatchObject({ kind: 'rpc', message: 'No such book' });
    await link(server.url, target).request(callOf());
    expect(server.of('initialize')).toHaveLength(1);
    expect(server.of('tools/call')).toHaveLength(2);
  });
});

describe('what had begun is not repeated', () => {
  const refusals: [string, Refusal | 'closed'][] = [
    ['that forgot the session', { status: 404 }],
    ['that calls it a bad request', { status: 400, code: -32000 }],
    ['that has no such stream', { status: 405 }],
    ['that wants other credentials', { status: 401 }],
    ['that forbids it', { status: 403 }],
    ['that has too much to do', { status: 429 }],
    ['that fails', { status: 503 }],
    ['that closes the connection', 'closed'],
  ];

  test.each(refusals)('when it cannot be resumed at a server %s', async (_name, refusal) => {
    const server = await serve(
      {
        'tools/call': (turn) => {
          turn.event({ method: 'notifications/progress', params: {} }, 'event-1');
          setImmediate(() => turn.response.destroy());
        },
      },
      {
        fault: ({ method, headers }, response) =>
          method === 'GET' && headers['last-event-id'] !== undefined && refuse(response, refusal),
      },
    );
    const work = linksBed().link(server.url, { era: 'legacy' }).request(callOf());
    expect(await faultOf(work)).toMatchObject({ kind: 'dropped', wasSent: true });
    expect(server.of('tools/call')).toHaveLength(1);
  });

  test.each(refusals)('when its answer cannot be brought to a server %s', async (_name, refusal) => {
    const server = await serve(
      { 'tools/call': (turn) => turn.ask('elicitation/create', FORM) },
      { fault: ({ body }, response) => body.includes('"accept"') && refuse(response, refusal) },
    );
    const onAsk = async (): Promise<InputResponse> => ({ action: 'accept', content: {} });
    const work = linksBed()
      .link(server.url, { era: 'legacy' })
      .request(callOf({}, { capabilities: ASKABLE, onAsk }));
    expect(await faultOf(work)).toMatchObject({ kind: 'dropped', wasSent: true });
    expect(server.of('tools/call')).toHaveLength(1);
  });
});

describe('a call', () => {
  test('hears progress by its token, and messages from the level that it asked for', async () => {
    const server = await serve(
      {
        'tools/call': (turn) => {
          const { progressToken } = turn.message.params?._meta ?? {};
          turn.event({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
          turn.event({ method: 'notifications/message', params: { level: 'info', data: 'mild' } });
          turn.event({ method: 'notifications/message', params: { level: 'error', data: 'bad' } });
          turn.result({ content: [] });
        },
      },
      { capabilities: { tools: {}, logging: {} } },
    );
    const { link } = linksBed();
    const told: unknown[] = [];
    const listening = callOf(
      {},
      {
        onProgress: (...progress) => told.push(progress),
        log: { level: 'warning', on: (...words) => told.push(words) },
      },
    );
    await link(server.url, { era: 'legacy' }).request(listening);
    await link(server.url, { era: 'legacy' }).request(listening);
    expect(told.slice(0, 2)).toEqual([
      [1, undefined, undefined],
      ['error', 'bad', undefined],
    ]);
    expect(server.of('logging/setLevel').map(({ params }) => params)).toEqual([{ level: 'warning' }]);
  });

  test('that is cancelled or late tells the server so', async () => {
    const server = await serve({ 'tools/call': () => undefined });
    const { link } = linksBed();
    const cancel = new AbortController();
    const call = link(server.url, { era: 'legacy' }).request(callOf({}, { signal: cancel.signal }));
    await eventually(() => expect(server.of('tools/call')).toHaveLength(1));
    const reason = new Error('gone');
    cancel.abort(reason);
    await expect(call).rejects.toBe(reason);
    const late = link(server.url, { era: 'legacy' }).request(callOf({}, { limitMs: 100 }));
    expect(await faultOf(late)).toMatchObject({ kind: 'timeout', wasSent: true });
    await eventually(() =>
      expect(server.of('notifications/cancelled').map(({ params }) => params?.requestId)).toEqual(
        server.of('tools/call').map(({ id }) => id),
      ),
    );
  });

  test('does not cross with others that are equal', async () => {
    const held: Turn[] = [];
    const server = await serve({
      'tools/call': (turn) => {
        held.push(turn);
        if (held.length < 20) return;
        for (const each of held.toReversed())
          each.result({ content: [], canary: each.headers['x-request-id'] });
      },
    });
    const { links } = linksBed();
    const target = targetOf(server.url, { era: 'legacy' });
    const canaries = Array.from({ length: 20 }, (_each, index) => `canary-${index}`);
    const results = await Promise.all(
      canaries.map((requestId) => links.of(target).request(callOf({ same: 1 }, { requestId }))),
    );
    expect(results.map(({ canary }) => canary)).toEqual(canaries);
    expect(server.of('initialize')).toHaveLength(1);
  });

  test('whose stream is cut goes on after the last event', async () => {
    const cut: Turn[] = [];
    const server = await serve(
      {
        'tools/call': (turn) => {
          cut.push(turn);
          turn.event({ method: 'notifications/progress', params: {} }, 'event-1');
          setImmediate(() => turn.response.destroy());
        },
      },
      {
        fault: ({ method, headers }, response) => {
          const id = cut[0]?.message.id;
          if (method !== 'GET' || headers['last-event-id'] !== 'event-1' || id === undefined) return false;
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: ['late'] } })}\n\n`);
          return true;
        },
      },
    );
    const result = await linksBed().link(server.url, { era: 'legacy' }).request(callOf());
    expect(result).toEqual({ content: ['late'] });
    expect(server.of('tools/call')).toHaveLength(1);
  });

  test('whose stream is cut without an event id is dropped, and not repeated', async () => {
    const server = await serve({
      'tools/call': (turn) => {
        turn.event({ method: 'notifications/progress', params: {} });
        setImmediate(() => turn.response.destroy());
      },
    });
    const work = linksBed().link(server.url, { era: 'legacy' }).request(callOf());
    expect(await faultOf(work)).toMatchObject({ kind: 'dropped', wasSent: true });
    expect(server.of('tools/call')).toHaveLength(1);
  });
});
