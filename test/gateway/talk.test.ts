/** What goes both ways in the middle of things: questions, cancels, and notices, between eras. */
import { eventually } from '@parley/test-support/eventually';
import type { Turn, WireScript } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openListens } from './fixtures/listens.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

let server: GatewayServer;
/** Another process on the same data. */
let replica: GatewayServer;

beforeAll(async () => {
  server = await startGatewayServer();
  replica = await startGatewayServer({ data: server.data });
});

afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const ERAS = ['2026', '2025'] as const;
const PAIRS = (['modern', 'legacy'] as const).flatMap((client) =>
  ERAS.map((upstream) => ({ client, upstream })),
);
const question = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { said: { type: 'string' } } },
};
const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** A server that lists `work` and does what it is told. */
function upstreamOf(era: '2026' | '2025', more: WireScript['methods'], capabilities: object = { tools: {} }) {
  const lists = { 'tools/list': ({ result }: Turn) => result({ tools: [tool('work')], ttlMs: 0 }) };
  return serveWire({ era, capabilities, methods: { ...lists, ...more } });
}

/** Asks for a name, in the way of its era, and answers with what it heard. */
const asks =
  (era: '2026' | '2025') =>
  async (turn: Turn): Promise<void> => {
    if (era === '2025') return turn.result(text((await turn.ask('elicitation/create', question)).result));
    const heard = turn.message.params?.['inputResponses'] as { name: unknown } | undefined;
    if (heard !== undefined) return turn.result(text(heard.name));
    const inputRequests = { name: { method: 'elicitation/create', params: question } };
    return turn.result({ resultType: 'input_required', inputRequests, requestState: 'of its own' });
  };

describe.each(PAIRS)('a $client client, an upstream of $upstream', ({ client: era, upstream: year }) => {
  test('check 20: a question reaches the client, and its answer the upstream', async () => {
    const upstream = await upstreamOf(year, { 'tools/call': asks(year) });
    const id = await server.connect('Asks', upstream.url);
    const asked: string[] = [];
    const client = await server.client(id, era, {
      ask(message) {
        asked.push(message);
        return { said: 'Ada' };
      },
    });
    expect(await client.callTool({ name: 'work', arguments: {} })).toMatchObject(
      text({ action: 'accept', content: { said: 'Ada' } }),
    );
    expect(asked).toEqual(['Name?']);
    // One call in a session, or one for each round.
    expect(upstream.of('tools/call')).toHaveLength(year === '2025' ? 1 : 2);
  });

  test('check 20: a client that cannot be asked is told so, and nothing hangs', async () => {
    const upstream = await upstreamOf(year, { 'tools/call': asks(year) });
    const id = await server.connect('Asks', upstream.url);
    const client = await server.client(id, era);
    const ended = await client.callTool({ name: 'work', arguments: {} }).catch((error: unknown) => error);
    if (year === '2025') {
      // The upstream hears that nobody answers, and says by itself what it makes of that.
      expect(ended).toMatchObject(text({ action: 'decline' }));
    } else if (era === 'modern') {
      expect(ended).toMatchObject({
        code: -32021,
        message: expect.stringContaining('elicitation') as unknown,
      });
    } else {
      expect(ended).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'declined' } });
    }
    expect(upstream.of('tools/call')).toHaveLength(1);
  });

  test('check 22: a cancel reaches the upstream', async () => {
    const closed = Promise.withResolvers<void>();
    const upstream = await upstreamOf(year, {
      'tools/call': (turn) => turn.closed.then(closed.resolve),
    });
    const id = await server.connect('Slow', upstream.url);
    const client = await server.client(id, era);
    const control = new AbortController();
    const call = client.callTool({ name: 'work', arguments: {} }, { signal: control.signal });
    await eventually(() => expect(upstream.of('tools/call')).toHaveLength(1));
    control.abort();
    await expect(call).rejects.toBeInstanceOf(Error);
    if (year === '2026') await closed.promise;
    else
      await eventually(() => {
        const [called, cancelled] = [upstream.of('tools/call'), upstream.of('notifications/cancelled')];
        expect(cancelled.map(({ params }) => params?.['requestId'])).toEqual(called.map((each) => each.id));
      });
    // It is not said again, and nothing else was asked of it.
    expect(upstream.of('tools/call')).toHaveLength(1);
  });
});

describe.each(ERAS)('check 21: the state of a question of an upstream of %s', (year) => {
  const capabilities = { elicitation: {} };
  const inputResponses = { name: { action: 'accept', content: { said: 'Ada' } } };
  const REFUSED = {
    code: -32602,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  };

  test('is good once, for its client and its arguments, as it was given', async () => {
    const upstream = await upstreamOf(year, { 'tools/call': asks(year) });
    const id = await server.connect('Asks', upstream.url);
    const other = await server.keyOf('owner');
    const args = { topic: 'tea' };
    const { result } = (await server.call(id, 'work', args, { capabilities })).json;
    expect(result.resultType).toBe('input_required');
    const [key = ''] = Object.keys(result.inputRequests);
    const retry = (state: string, as?: string, given = args) =>
      server.ask(
        id,
        'tools/call',
        {
          name: 'work',
          arguments: given,
          requestState: state,
          inputResponses: { [key]: inputResponses.name },
        },
        { capabilities, ...(as !== undefined && { key: as }) },
      );
    const state: string = result.requestState;
    expect(Buffer.from(state, 'base64url').toString('latin1')).not.toContain('of its own');
    const bytes = Buffer.from(state, 'base64url');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    const calls = upstream.of('tools/call').length;
    for (const attempt of [
      retry(bytes.toString('base64url')),
      retry(state, other),
      retry(state, undefined, { topic: 'coffee' }),
    ])
      expect((await attempt).json.error).toEqual(REFUSED);
    expect(upstream.of('tools/call')).toHaveLength(calls);
    const good = await retry(state);
    expect(good.json.result, good.text).toMatchObject(text(inputResponses.name));
    const finished = upstream.of('tools/call').length;
    expect((await retry(state)).json.error).toEqual(REFUSED);
    expect(upstream.of('tools/call')).toHaveLength(finished);
  });
});

/** A server of 2026 that people listen to. */
async function heardUpstream() {
  const listens = openListens();
  let names = ['work'];
  const upstream = await upstreamOf(
    '2026',
    {
      'tools/list': ({ result }) => result({ tools: names.map(tool), ttlMs: 0 }),
      'resources/list': ({ result }) =>
        result({ resources: ['doc://1', 'doc://2'].map((uri) => ({ name: uri, uri })), ttlMs: 0 }),
      'resources/templates/list': ({ result }) => result({ resourceTemplates: [], ttlMs: 0 }),
      'subscriptions/listen': listens.listen,
    },
    { tools: { listChanged: true }, resources: { subscribe: true } },
  );
  return {
    ...listens,
    upstream,
    list(...now: string[]) {
      names = now;
    },
  };
}

test('check 13: a new tool of an upstream is told to clients of both eras, here and at another replica', async () => {
  const { upstream, open, list } = await heardUpstream();
  const id = await server.connect('News', upstream.url, { metadata: { gateway: { pinning: 'flag' } } });
  const told: string[] = [];
  for (const at of [server, replica]) {
    const client = await at.client(id, 'legacy');
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told.push(at === server ? 'here' : 'there');
    });
    expect((await client.listTools()).tools).toHaveLength(1);
  }
  const streams = [
    await server.listen(id, { toolsListChanged: true }),
    await replica.listen(id, { toolsListChanged: true }),
  ];
  await eventually(() => expect(open.size).toBe(2));
  list('more', 'work');
  // One of the two hears it, and the other of it.
  const [first] = open;
  first?.event({ method: 'notifications/tools/list_changed', params: {} });
  for (const stream of streams)
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  await eventually(() => expect(new Set(told)).toEqual(new Set(['here', 'there'])));
  for (const at of [server, replica]) expect(await at.names(id)).toEqual(['more', 'work']);
  expect((await replica.call(id, 'more', { a: 1 })).json.result).toMatchObject(text({ a: 1 }));
});

/** A server of 2025 with the same documents: they are subscribed to in a session, and told of on its stream. */
async function heardOldUpstream() {
  const wanted = new Set<string>();
  const uriOf = ({ message }: Turn) => String(message.params?.['uri']);
  const documents = ['doc://1', 'doc://2'].map((uri) => ({ name: uri, uri }));
  const upstream = await upstreamOf(
    '2025',
    {
      'resources/list': ({ result }) => result({ resources: documents }),
      'resources/templates/list': ({ result }) => result({ resourceTemplates: [] }),
      'resources/subscribe'(turn) {
        // Once for all who want it.
        if (wanted.has(uriOf(turn))) return turn.error(-32603, 'Subscribed already');
        wanted.add(uriOf(turn));
        return turn.result({});
      },
      'resources/unsubscribe'(turn) {
        wanted.delete(uriOf(turn));
        turn.result({});
      },
    },
    { tools: { listChanged: true }, resources: { subscribe: true } },
  );
  const streams = () => [...upstream.streams.values()];
  return {
    upstream,
    uris: () => (wanted.size === 0 ? [] : [[...wanted]]),
    tell(method: string, params: object) {
      const data = JSON.stringify({ jsonrpc: '2.0', method, params });
      for (const stream of streams()) if (!stream.destroyed) stream.write(`data: ${data}\n\n`);
    },
    cut() {
      for (const stream of streams()) stream.destroy();
    },
  };
}

const HEARD = {
  async 2026() {
    const { upstream, open, uris, tell } = await heardUpstream();
    const cut = () => {
      for (const turn of open) turn.response.destroy();
    };
    return { upstream, uris, tell, cut };
  },
  2025: heardOldUpstream,
};

test.each(ERAS)(
  'check 32: two clients of one document of a server of %s share one subscription, which ends with the second and survives a cut',
  async (year) => {
    const { upstream, uris, tell, cut } = await HEARD[year]();
    const id = await server.connect('Document', upstream.url);
    const [ONE, TWO] = ['doc://1', 'doc://2'] as const;
    const stream = await server.listen(id, { resourceSubscriptions: [ONE, TWO] });
    const client = await server.client(id, 'legacy');
    const told: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      told.push(params.uri);
    });
    for (const uri of [ONE, TWO]) await client.subscribeResource({ uri });
    const watched = () => uris().map((each) => each.toSorted());
    await eventually(() => expect(watched()).toEqual([[ONE, TWO]]));
    const update = (uri: string) => tell('notifications/resources/updated', { uri });
    const next = async () => {
      const notice = await stream.next();
      expect(notice).toMatchObject({ method: 'notifications/resources/updated' });
      return String(notice?.params?.['uri']);
    };
    update(ONE);
    expect(await next()).toBe(ONE);
    await eventually(() => expect(told.splice(0)).toEqual([ONE]));

    cut();
    expect([await next(), await next()].toSorted()).toEqual([ONE, TWO]);
    await eventually(() => expect(told.toSorted()).toEqual([ONE, TWO]));
    await eventually(() => expect(watched()).toEqual([[ONE, TWO]]));
    // What is told now is what comes now: of the cut each of them has heard once.
    for (const uri of [TWO, ONE]) update(uri);
    expect([await next(), await next()]).toEqual([TWO, ONE]);
    await eventually(() => expect(told.slice(2)).toEqual([TWO, ONE]));

    await stream.close();
    update(ONE);
    await eventually(() => expect(told.slice(4)).toEqual([ONE]));
    expect(watched()).toEqual([[ONE, TWO]]);
    await client.close();
    await eventually(() => expect(uris()).toEqual([]));
  },
);
