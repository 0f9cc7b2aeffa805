/** What links promise about notices: of both eras, also after a stream was lost. */
import { eventually } from '@parley/test-support/eventually';
import type { Turn, WireScript } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, test } from 'vitest';
import { callOf, linksBed } from '../../../test/links-bed.ts';
import type { LinkNotice } from '../link.ts';

const changed = (what: string) => ({ method: `notifications/${what}/list_changed` });
const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });

describe('a watch of 2026', () => {
  async function listening(methods: WireScript['methods'] = {}) {
    const open: Turn[] = [];
    const server = await serveWire({
      era: '2026',
      methods: {
        'subscriptions/listen': (turn) => {
          open.push(turn);
          turn.event({ method: 'notifications/subscriptions/acknowledged', params: {} });
        },
        ...methods,
      },
    });
    const bed = linksBed();
    const heard: LinkNotice[] = [];
    const watch = await bed.link(server.url).watch((notice) => heard.push(notice));
    return { server, open, heard, watch, ...bed };
  }

  test('hears what it asked for', async () => {
    const { open, heard, watch } = await listening();
    expect(open[0]?.message.params?.notifications).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    });
    open[0]?.event(changed('tools'));
    open[0]?.event(changed('prompts'));
    open[0]?.event(updated('a://1'));
    open[0]?.event(changed('resources'));
    await eventually(() =>
      expect(heard).toEqual([{ kind: 'tools' }, { kind: 'prompts' }, { kind: 'resources' }]),
    );
    await watch.close();
  });

  test('asks anew for other documents before it lets the old stream go', async () => {
    const { open, heard, watch } = await listening();
    await watch.setUris(new Set(['a://1']));
    await open[0]?.closed;
    expect(open[1]?.message.params?.notifications).toMatchObject({ resourceSubscriptions: ['a://1'] });
    open[1]?.event(updated('a://1'));
    open[1]?.event(updated('a://2'));
    open[1]?.event(changed('tools'));
    await eventually(() => expect(heard).toEqual([{ kind: 'resource', uri: 'a://1' }, { kind: 'tools' }]));
    await watch.setUris(new Set(['a://1']));
    expect(open).toHaveLength(2);
    await watch.close();
    await open[1]?.closed;
  });

  test('is opened again when it was lost, and says so', async () => {
    const { open, heard, watch } = await listening();
    open[0]?.response.destroy();
    await eventually(() => expect(heard).toEqual([{ kind: 'reopened' }]));
    open[1]?.result({});
    await eventually(() => expect(heard).toEqual([{ kind: 'reopened' }, { kind: 'reopened' }]));
    await watch.close();
    await open[2]?.closed;
    expect(open).toHaveLength(3);
  });

  test('ends with its connection', async () => {
    const { open, links } = await listening();
    await links.forget('conn_test');
    await open[0]?.closed;
    expect(open).toHaveLength(1);
  });

  test('is silent at a server that has none', async () => {
    const { server, heard, watch } = await listening({
      'subscriptions/listen': (turn) => turn.error(-32601, 'Method not found', 404),
    });
    expect(server.of('subscriptions/listen')).toHaveLength(1);
    expect(heard).toEqual([]);
    await watch.close();
  });
});

describe('a watch of 2025', () => {
  async function listening(script: Partial<WireScript> = {}) {
    const server = await serveWire({
      era: '2025',
      capabilities: { tools: {}, resources: { subscribe: true } },
      ...script,
    });
    const bed = linksBed();
    const heard: LinkNotice[] = [];
    const watch = await bed.link(server.url).watch((notice) => heard.push(notice));
    return { server, heard, watch, ...bed };
  }
  const write = (stream: { write(text: string): unknown } | undefined, message: object) =>
    stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);

  test('hears its session, and subscribes to documents once', async () => {
    const { server, heard, watch, link } = await listening();
    const stream = await eventually(() => {
      expect(server.streams.size).toBe(1);
      return [...server.streams.values()][0];
    });
    const other: LinkNotice[] = [];
    const second = await link(server.url).watch((notice) => other.push(notice));
    await watch.setUris(new Set(['a://1', 'a://2']));
    await second.setUris(new Set(['a://2']));
    expect(server.of('resources/subscribe').map(({ params }) => params?.uri)).toEqual(['a://1', 'a://2']);
    write(stream, updated('a://1'));
    write(stream, changed('tools'));
    await eventually(() => expect(other).toEqual([{ kind: 'tools' }]));
    expect(heard).toEqual([{ kind: 'resource', uri: 'a://1' }, { kind: 'tools' }]);
    await watch.close();
    await eventually(() =>
      expect(server.of('resources/unsubscribe').map(({ params }) => params?.uri)).toEqual(['a://1']),
    );
    await second.close();
    await eventually(() => expect(server.of('resources/unsubscribe')).toHaveLength(2));
    expect(server.of('initialize')).toHaveLength(1);
  });

  test('is opened again when its stream was cut, and after the session was forgotten', async () => {
    const { server, heard, watch } = await listening();
    await watch.setUris(new Set(['a://1']));
    const first = await eventually(() => {
      expect(server.streams.size).toBe(1);
      return [...server.streams.values()][0];
    });
    first?.destroy();
    await eventually(() => expect(heard).toEqual([{ kind: 'reopened' }]));
    server.sessions.clear();
    for (const stream of server.streams.values()) stream.destroy();
    await eventually(() => expect(heard).toEqual([{ kind: 'reopened' }, { kind: 'reopened' }]));
    await eventually(() => expect(server.of('resources/subscribe')).toHaveLength(2));
    expect(server.of('initialize')).toHaveLength(2);
    await watch.close();
  });

  test('is silent at a server without such a stream', async () => {
    const { server, heard, watch } = await listening({
      fault: ({ method }, response) => {
        if (method !== 'GET') return false;
        response.writeHead(405).end();
        return true;
      },
    });
    await eventually(() => expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1));
    await watch.close();
    expect(heard).toEqual([]);
  });
});

test('a watch over HTTP with SSE hears the one stream, and opens it again', async () => {
  const server = await serveWire({ era: 'sse' });
  const heard: LinkNotice[] = [];
  const watch = await linksBed()
    .link(server.url, { type: 'SSE' })
    .watch((notice) => heard.push(notice));
  server.streams.get('sse')?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...changed('prompts') })}\n\n`);
  await eventually(() => expect(heard).toEqual([{ kind: 'prompts' }]));
  server.streams.get('sse')?.destroy();
  await eventually(() => expect(heard).toEqual([{ kind: 'prompts' }, { kind: 'reopened' }]));
  await watch.close();
});

describe.each(['2025', 'sse'] as const)(
  'changes that a call of %s brings about, while nobody listens',
  (era) => {
    test.each([
      ['of tools', changed('tools'), 1],
      ['of prompts', changed('prompts'), 1],
      ['of resources', changed('resources'), 1],
      ['of a document, which is not a list', updated('a://1'), 0],
      ['of nothing that is known', { method: 'notifications/x/list_changed' }, 0],
    ])('%s', async (_name, notice, count) => {
      const server = await serveWire({
        era,
        methods: {
          'tools/call': (turn) => {
            turn.event(notice);
            turn.result({ content: [] });
          },
        },
      });
      const link = linksBed().link(server.url, era === 'sse' ? { type: 'SSE' } : { era: 'legacy' });
      let told = 0;
      await link.request(callOf({}, { onLists: () => (told += 1) }));
      expect(told).toBe(count);
      // Whoever asks for nothing of the kind is not disturbed.
      expect(await link.request(callOf())).toMatchObject({ content: [] });
      expect(told).toBe(count);
    });
  },
);
