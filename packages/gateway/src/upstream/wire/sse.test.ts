/** What links promise about HTTP with SSE. */
import type { InputResponse } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { serveForTest } from '@parley/test-support/scripted-server';
import type { Turn, WireScript } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, test } from 'vitest';
import { callOf, faultOf, linksBed } from '../../../test/links-bed.ts';

const serve = (methods: WireScript['methods'] = {}) => serveWire({ era: 'sse', methods });
const SSE = { type: 'SSE' } as const;

describe('HTTP with SSE', () => {
  test('has one stream for all calls of one principal', async () => {
    const server = await serve();
    const { link } = linksBed();
    expect(await link(server.url, SSE).facts()).toMatchObject({
      era: 'legacy',
      protocolVersion: '2024-11-05',
    });
    const results = await Promise.all([1, 2, 3].map((n) => link(server.url, SSE).request(callOf({ n }))));
    expect(results.map(({ content }) => content)).toEqual(
      [1, 2, 3].map((n) => [{ type: 'text', text: `{"n":${n}}` }]),
    );
    expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
    expect(server.of('server/discover')).toEqual([]);
  });

  test('tells progress, asks, and is told of a cancel', async () => {
    const held: Turn[] = [];
    const server = await serve({
      'tools/call': async (turn) => {
        if (turn.message.params?.name === 'hang') return held.push(turn);
        const { progressToken } = turn.message.params?._meta ?? {};
        turn.event({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
        const { result } = await turn.ask('roots/list');
        return turn.result({ content: [], result });
      },
    });
    const { link } = linksBed();
    const told: number[] = [];
    const wish = {
      principal: 'ann',
      capabilities: { roots: {} },
      onAsk: async (): Promise<InputResponse> => ({ roots: [] }),
      onProgress: (done: number) => told.push(done),
    };
    expect(await link(server.url, SSE).request(callOf({}, wish))).toEqual({
      content: [],
      result: { roots: [] },
    });
    expect(told).toEqual([1]);
    const cancel = new AbortController();
    const hanging = link(server.url, SSE).request(
      callOf({}, { ...wish, params: { name: 'hang' }, signal: cancel.signal }),
    );
    await eventually(() => expect(held).toHaveLength(1));
    cancel.abort(new Error('gone'));
    await expect(hanging).rejects.toThrow('gone');
    await eventually(() =>
      expect(server.of('notifications/cancelled')[0]?.params?.requestId).toBe(held[0]?.message.id),
    );
    const late = link(server.url, SSE).request(callOf({}, { params: { name: 'hang' }, limitMs: 100 }));
    expect(await faultOf(late)).toMatchObject({ kind: 'timeout' });
  });

  test.each([999_999, 'a', 0, 1.5])(
    'that answers with the id %s fails the one call that waits',
    async (id) => {
      const wrong: Turn[] = [];
      const echoed = (turn: Turn) => {
        // The right answer after the wrong one is too late, and nobody else's.
        wrong[0]?.result({ content: [] });
        turn.result({});
      };
      const server = await serve({
        'tools/call': (turn) => (turn.message.params?.name === 'echo' ? echoed(turn) : wrong.push(turn)),
      });
      const { link } = linksBed();
      const call = (name: string) => link(server.url, SSE).request(callOf({}, { params: { name } }));
      const failing = call('wrong');
      await eventually(() => expect(wrong).toHaveLength(1));
      wrong[0]?.event({ id, result: { content: [] } });
      expect(await faultOf(failing)).toMatchObject({ kind: 'invalid_result', wasSent: true });
      expect(await call('echo')).toEqual({});
      expect(server.of('initialize')).toHaveLength(1);
    },
  );

  test('that answers with the id of another request fails nobody while several wait, and none too late', async () => {
    const held: Turn[] = [];
    const server = await serve({
      'tools/call': (turn) => {
        if (turn.message.params?.name === 'hang') return held.push(turn);
        for (const { message } of held) turn.event({ id: message.id, result: { late: true } });
        return turn.result({ content: [] });
      },
    });
    const { link } = linksBed();
    const call = (name: string, limitMs = 20_000) =>
      link(server.url, SSE).request(callOf({}, { params: { name }, limitMs }));
    const [first, second] = [call('hang'), call('hang')];
    await eventually(() => expect(held).toHaveLength(2));
    const [one, other] = held.splice(0);
    one?.event({ id: 999_999, result: {} });
    one?.result({ first: true });
    other?.result({ second: true });
    expect(await Promise.all([first, second])).toEqual([{ first: true }, { second: true }]);
    expect(await faultOf(call('hang', 50))).toMatchObject({ kind: 'timeout' });
    await eventually(() => expect(held).toHaveLength(1));
    expect(await call('finish')).toEqual({ content: [] });
  });

  test('may answer as deep as a list is allowed where a list was asked for, and nowhere else', async () => {
    const nested = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown;
    const held: Turn[] = [];
    const server = await serve({
      'tools/list': (turn) => turn.result({ tools: [nested] }),
      'tools/call': (turn) =>
        turn.message.params?.name === 'hang' ? held.push(turn) : turn.result({ content: [nested] }),
    });
    const { link } = linksBed();
    const ask = (name: string, method = 'tools/call') =>
      link(server.url, SSE).request(callOf({}, { method, params: { name } }));
    const other = ask('hang');
    await eventually(() => expect(held).toHaveLength(1));
    expect(await faultOf(ask('deep'))).toMatchObject({
      kind: 'invalid_result',
      message: expect.stringContaining('deeper than 64 levels') as unknown,
    });
    expect(await ask('', 'tools/list')).toEqual({ tools: [nested] });
    // The stream is still that of all.
    held[0]?.result({ content: [] });
    expect(await other).toEqual({ content: [] });
    expect(server.of('initialize')).toHaveLength(1);
  });

  test('that loses its stream drops what runs, and opens another for what follows', async () => {
    const server = await serve({
      'tools/call': (turn) => {
        if (turn.message.params?.name !== 'cut') return turn.result({ content: [] });
        return server.streams.get('sse')?.destroy();
      },
    });
    const { link } = linksBed();
    const cut = link(server.url, SSE).request(callOf({}, { params: { name: 'cut' } }));
    expect(await faultOf(cut)).toMatchObject({ kind: 'dropped', wasSent: true });
    expect(await link(server.url, SSE).request(callOf())).toEqual({ content: [] });
    expect(server.of('initialize')).toHaveLength(2);
  });

  test('that the server forgot leaves what runs to its answer, and opens another for what follows', async () => {
    const held: Turn[] = [];
    let isForgotten = false;
    const server = await serveWire({
      era: 'sse',
      methods: {
        'tools/call': (turn) => (turn.message.params?.name === 'slow' ? held.push(turn) : turn.result({})),
      },
      fault: ({ method, body }, response) => {
        const isRefused = isForgotten && method === 'POST' && !body.includes('initialize');
        if (body.includes('initialize')) isForgotten = false;
        if (isRefused) response.writeHead(404).end();
        return isRefused;
      },
    });
    const { link } = linksBed();
    const slow = link(server.url, SSE).request(callOf({}, { params: { name: 'slow' } }));
    await eventually(() => expect(held).toHaveLength(1));
    const [first] = server.streams.values();
    isForgotten = true;
    expect(await link(server.url, SSE).request(callOf())).toEqual({});
    held[0]?.result({ content: ['done'] });
    expect(await slow).toEqual({ content: ['done'] });
    expect(server.of('initialize')).toHaveLength(2);
    expect(server.of('tools/call')).toHaveLength(2);
    // Nobody needs the old stream any more.
    await eventually(() => expect(first?.destroyed).toBe(true));
  });

  test('is not asked again when an answer cannot be brought', async () => {
    const server = await serveWire({
      era: 'sse',
      methods: { 'tools/call': (turn) => turn.ask('roots/list') },
      fault: ({ body }, response) => {
        const isReply = body.includes('"roots":[]');
        if (isReply) response.writeHead(404).end();
        return isReply;
      },
    });
    const wish = {
      principal: 'ann',
      capabilities: { roots: {} },
      onAsk: async (): Promise<InputResponse> => ({ roots: [] }),
    };
    const work = linksBed().link(server.url, SSE).request(callOf({}, wish));
    expect(await faultOf(work)).toMatchObject({ kind: 'dropped', wasSent: true });
    expect(server.of('tools/call')).toHaveLength(1);
  });

  test.each(['http://127.0.0.1:1/messages', 'https://evil.test/', '//evil.test/x', 'http://[bad'])(
    'is refused when it announces %s',
    async (announced) => {
      const server = await serveForTest((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`event: endpoint\ndata: ${announced}\n\n`);
      });
      const work = linksBed()
        .link(`${server.origin}/sse`, { ...SSE, token: 't' })
        .facts();
      expect(await faultOf(work)).toMatchObject({ kind: 'not_allowed' });
      expect(server.seen).toHaveLength(1);
    },
  );

  test.each([
    [401, 'auth_required'],
    [403, 'forbidden'],
    [404, 'invalid_result'],
    [503, 'broken'],
    [302, 'not_allowed'],
  ])('answers %i', async (status, kind) => {
    const server = await serveForTest((_request, response) =>
      response.writeHead(status, { location: '/x' }).end(),
    );
    expect(await faultOf(linksBed().link(server.origin, SSE).facts())).toMatchObject({ kind });
  });
});
