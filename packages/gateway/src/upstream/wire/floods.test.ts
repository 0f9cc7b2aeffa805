/** What links promise when a server says far more than anybody asked for. */
import type { InputResponse } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import type { Turn, WireScript } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callOf, faultOf, linksBed } from '../../../test/links-bed.ts';
import { SharedWatch } from '../shared-watch.ts';
import { MAX_ASIDE_BYTES, MAX_REPLIES, MAX_SERVER_REQUESTS, MAX_WAITING_REPLIES } from './limits.ts';

const FLOOD = 20_000;
const ASKABLE = { elicitation: {}, sampling: {}, roots: {} };
const TOO_OFTEN = {
  kind: 'invalid_result',
  message: expect.stringContaining('asked too often') as unknown,
};
// Replies that were sent before the flood was seen to be one.
const MOST_REPLIES = MAX_SERVER_REQUESTS + MAX_REPLIES + MAX_WAITING_REPLIES;

const serve = (era: WireScript['era'], methods: NonNullable<WireScript['methods']>) =>
  serveWire({ era, methods });

function framesOf(method: string, params: object = {}): string {
  const one = (id: number) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n\n`;
  return Array.from({ length: FLOOD }, (_, at) => one(at + 1_000_000)).join('');
}

const ofEach = [
  ['roots/list', {}],
  ['sampling/createMessage', { messages: [], maxTokens: 1 }],
  ['elicitation/create', { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }],
  ['what/is/this', {}],
  ['ping', {}],
] as const;

describe('a flood of requests', () => {
  test.each(ofEach)('%s on the stream of a call ends that call and its stream', async (method, params) => {
    const closed: Promise<void>[] = [];
    const server = await serve('2025', {
      'tools/call': (turn: Turn) => {
        if (turn.message.params?.name !== 'flood') return turn.result({ content: [] });
        closed.push(turn.closed);
        turn.response.writeHead(200, { 'content-type': 'text/event-stream' });
        return turn.response.write(framesOf(method, params));
      },
    });
    const { link } = linksBed();
    const asked: unknown[] = [];
    const onAsk = async (question: unknown): Promise<InputResponse> => {
      asked.push(question);
      return { action: 'decline' };
    };
    for (const changes of [{}, { capabilities: ASKABLE, onAsk }]) {
      const flood = { ...changes, params: { name: 'flood', arguments: {} } };
      const target = { era: 'legacy', principal: 'ann' } as const;
      expect(await faultOf(link(server.url, target).request(callOf({}, flood)))).toMatchObject(TOO_OFTEN);
      expect(await link(server.url, target).request(callOf({}, changes))).toEqual({ content: [] });
    }
    await Promise.all(closed);
    expect(asked.length).toBeLessThanOrEqual(MAX_SERVER_REQUESTS);
    const replies = server.heard.filter(({ message }) => message.method === undefined);
    expect(replies.length).toBeLessThanOrEqual(2 * MOST_REPLIES);
  });

  test.each(ofEach)('%s on the stream of HTTP with SSE ends the call', async (method, params) => {
    const server = await serve('sse', {
      'tools/call': (turn: Turn) => {
        if (turn.message.params?.name !== 'flood') return turn.result({ content: [] });
        return server.streams.get('sse')?.write(framesOf(method, params));
      },
    });
    const { link } = linksBed();
    const wish = { params: { name: 'flood' }, capabilities: ASKABLE, principal: 'ann' };
    const onAsk = async (): Promise<InputResponse> => ({ action: 'decline' });
    const call = callOf({}, { ...wish, onAsk });
    expect(await faultOf(link(server.url, { type: 'SSE' }).request(call))).toMatchObject(TOO_OFTEN);
    expect(await link(server.url, { type: 'SSE' }).request(callOf())).toEqual({ content: [] });
    const replies = server.heard.filter(({ message }) => message.method === undefined);
    expect(replies.length).toBeLessThanOrEqual(MOST_REPLIES);
  });

  test.each(ofEach)('%s on the stream of a session closes that, and calls go on', async (method, params) => {
    const server = await serve('2025', {});
    const { link } = linksBed();
    const target = { era: 'legacy' } as const;
    const watch = await link(server.url, target).watch(() => undefined);
    await eventually(() => expect(server.streams.size).toBe(1));
    const [stream] = server.streams.values();
    let isClosed = false;
    stream?.on('close', () => (isClosed = true));
    stream?.write(framesOf(method, params));
    await eventually(() => expect(isClosed).toBe(true));
    expect(await link(server.url, target).request(callOf({ a: 1 }))).toMatchObject({
      content: [{ text: '{"a":1}' }],
    });
    const replies = server.heard.filter(({ message }) => message.method === undefined);
    expect(replies.length).toBeLessThanOrEqual(MOST_REPLIES);
    await watch.close();
  });

  test('as many as are allowed are all answered, few at once', async () => {
    let [now, most] = [0, 0];
    const server = await serveWire({
      era: '2025',
      methods: {
        'tools/call': async (turn: Turn) => {
          const asking = Array.from({ length: MAX_SERVER_REQUESTS }, () => turn.ask('roots/list'));
          const answers = await Promise.all(asking);
          turn.result({ content: [], count: answers.filter(({ result }) => result !== undefined).length });
        },
      },
      fault: ({ body }, response) => {
        if (!body.includes('"roots":[]')) return false;
        now += 1;
        most = Math.max(most, now);
        response.on('close', () => (now -= 1));
        return false;
      },
    });
    const onAsk = async (): Promise<InputResponse> => ({ roots: [] });
    const call = callOf({}, { capabilities: ASKABLE, onAsk });
    const result = await linksBed().link(server.url, { era: 'legacy' }).request(call);
    // Of those that are open at once only some reach the client; the others are declined.
    expect(result.count).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(MAX_REPLIES);
    expect(server.heard.filter(({ message }) => message.method === undefined)).toHaveLength(
      MAX_SERVER_REQUESTS,
    );
  });
});

describe('a flood of notices', () => {
  const NOTICES = 100_000;
  const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });
  const frames = (message: object, count: number) =>
    `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`.repeat(count);

  /** A shared watch of a server, and the stream that the server tells it on. */
  async function watched(era: '2026' | '2025') {
    const open: Turn['response'][] = [];
    const server = await serveWire({
      era,
      capabilities: { resources: { subscribe: true } },
      methods: {
        'subscriptions/listen': (turn) => {
          open.push(turn.response);
          turn.event({ method: 'notifications/subscriptions/acknowledged', params: {} });
        },
      },
    });
    const told: string[] = [];
    const faults: unknown[] = [];
    let lists = 0;
    const { link } = linksBed();
    const watch = new SharedWatch({
      link: link(server.url, { era: era === '2026' ? 'modern' : 'legacy' }),
      onLists: () => (lists += 1),
      onResource: (uri) => told.push(uri),
      onEmpty: () => undefined,
      onFault: (error) => faults.push(error),
    });
    for (const uri of ['a://1', 'a://2', 'a://end']) watch.join(uri);
    const isSubscribed = () =>
      era === '2026'
        ? server.of('subscriptions/listen').some(({ params }) => JSON.stringify(params).includes('a://end'))
        : server.streams.size === 1 && server.of('resources/subscribe').length === 3;
    await eventually(() => expect(isSubscribed()).toBe(true));
    onTestFinished(async () => {
      await watch.end();
      expect(faults).toEqual([]);
    });
    const stream = era === '2026' ? open.at(-1) : [...server.streams.values()][0];
    return { server, stream, told, lists: () => lists };
  }

  test.each(['2026', '2025'] as const)('of documents in %s is told a few times, its end too', async (era) => {
    const { stream, told } = await watched(era);
    stream?.write(
      frames(updated('a://1'), NOTICES) + frames(updated('a://2'), 2) + frames(updated('b://other'), 1_000),
    );
    stream?.write(frames(updated('a://end'), 1));
    await eventually(() => expect(told).toContain('a://end'));
    expect(told[0]).toBe('a://1');
    expect(told).toContain('a://2');
    expect(told).not.toContain('b://other');
    expect(told.length).toBeLessThan(NOTICES / 100);
  });

  test.each(['2026', '2025'] as const)('of lists in %s leaves room for calls', async (era) => {
    const { server, stream, told, lists } = await watched(era);
    stream?.write(frames({ method: 'notifications/tools/list_changed' }, NOTICES));
    const target = { era: era === '2026' ? 'modern' : 'legacy' } as const;
    expect(
      await linksBed()
        .link(server.url, target)
        .request(callOf({ a: 1 })),
    ).toMatchObject({
      content: [{ text: '{"a":1}' }],
    });
    stream?.write(frames(updated('a://end'), 1));
    await eventually(() => expect(told).toEqual(['a://end']));
    expect(lists()).toBe(NOTICES);
  });

  test.each([
    ['2026', 'data: '],
    ['2025', 'data: '],
    ['2026', 'id: 1\nevent: x\n'],
    ['2025', 'no end of a line'],
  ] as const)('without a frame in %s, of %j, ends at its bound', async (era, beginning) => {
    const { stream } = await watched(era);
    let [sent, isClosed] = [0, false];
    stream?.on('close', () => (isClosed = true));
    stream?.on('error', () => undefined);
    const piece = beginning.endsWith('\n') ? beginning.repeat(4_096) : 'x'.repeat(65_536);
    stream?.write(beginning);
    const more = () => {
      if (isClosed) return;
      sent += piece.length;
      stream?.write(piece, () => setImmediate(more));
    };
    more();
    await eventually(() => expect(isClosed).toBe(true));
    // What is on its way in the buffers of both sides counts as well.
    expect(sent).toBeLessThan(16 * MAX_ASIDE_BYTES);
  });
});
