/** Addresses inside, however they are written, named or redirected to: refused when a connection is made, tested and called. */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { connect, createServer } from 'node:net';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import type { Network } from './fixtures/network.ts';
import { watchNetwork } from './fixtures/network.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

/** The one address inside that this server may reach. */
const ALLOWED = '127.0.0.2';
const PRIVATE = { metadata: { gateway: { allowPrivate: true } } };
const REASON = 'not allowed';

let network: Network;
let guarded: GatewayServer;
let upstream: McpUpstream;
/** Listens where nobody may come. */
let inside: Server;
/** Listens at the allowed address, on the same port, and leads to the upstream. */
let door: Server;
let port: number;
let arrived = 0;

beforeAll(async () => {
  network = watchNetwork();
  guarded = await startGatewayServer({ flags: ['--allow-egress', `${ALLOWED}/32`] });
  upstream = await serving();
  inside = createServer((socket) => {
    arrived += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  ({ port } = inside.address() as AddressInfo); // a listening TCP server has a port
  door = createServer((socket) => {
    const further = connect(upstream.port, '127.0.0.1');
    for (const [from, to] of [
      [socket, further],
      [further, socket],
    ] as const)
      from.on('error', () => to.destroy()).pipe(to);
  }).listen(port, ALLOWED);
  await once(door, 'listening');
});

afterAll(async () => {
  await guarded[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  for (const each of [inside, door]) {
    each.close();
    await once(each, 'close');
  }
  network[Symbol.dispose]();
});

beforeEach(() => {
  arrived = 0;
  network.tried.clear();
});

afterEach(() => {
  // Upstreams and servers of this file are at 127.0.0.1 and the door; nobody has even tried to go anywhere else.
  const elsewhere = [...network.tried].filter(
    (to) => to === `127.0.0.1 ${port}` || !(to.startsWith('127.0.0.1 ') || to === `${ALLOWED} ${port}`),
  );
  expect({ arrived, elsewhere }).toEqual({ arrived: 0, elsewhere: [] });
});

function serving(): Promise<McpUpstream> {
  return startUpstream({ era: '2026', tools: [plainTool('work')] });
}

const create = (connection_url: string, more: object = {}) =>
  guarded.attempt('COLLECTION_CONNECTIONS_CREATE', {
    data: { title: 'Inside', connection_type: 'HTTP', connection_url, ...more },
  });
const works = async (id: string) =>
  expect((await guarded.call(id, 'work')).json.result.content[0].text).toBe('done');

/** It is stored without anything that its server has, and says why. */
async function refusedWhenMade(url: string, more: object = {}): Promise<string> {
  const { item } = (await create(url, more)).json.result.structuredContent;
  expect(item).toMatchObject({
    tools: null,
    catalog: { fetched_at: null, last_error: expect.stringContaining(REASON) as unknown },
  });
  return item.id as string;
}

async function refusedWhenTested(id: string): Promise<void> {
  expect(await guarded.manage('CONNECTION_TEST', { id })).toMatchObject({
    healthy: false,
    status: 'unreachable',
    message: expect.stringContaining(REASON) as unknown,
  });
}

/** A tool that is known from before is called, and the call is not sent. */
async function refusedWhenCalled(id: string, hides: string): Promise<void> {
  const { json, text } = await guarded.call(id, 'work');
  expect(json.result, text).toMatchObject({
    isError: true,
    _meta: { 'dev.parley/code': 'unavailable', 'dev.parley/data': { reason: 'not_allowed' } },
  });
  const plain = await guarded.plain(id, 'work');
  expect([plain.status, plain.json.error.code]).toEqual([503, 'unavailable']);
  for (const said of [text, plain.text]) expect(said).not.toContain(hides);
}

const INSIDE = [
  ['127.0.0.1', 'http://127.0.0.1:PORT/mcp'],
  ['that is mapped', 'http://[::ffff:10.0.0.1]:PORT/mcp'],
  ['that is mapped to this machine', 'http://[::ffff:127.0.0.1]:PORT/mcp'],
  ['in hexadecimal', 'http://0x7f000001:PORT/mcp'],
  ['in decimal', 'http://2130706433:PORT/mcp'],
  ['in octal', 'http://0177.0.0.1:PORT/mcp'],
  ['by name', 'http://localhost:PORT/mcp'],
  ['over https', 'https://127.0.0.1:PORT/mcp'],
] as const;

describe('check 26: an address inside', () => {
  test.each(INSIDE)('%s is refused when it is made, tested, asked again and called', async (_name, form) => {
    const url = form.replace('PORT', String(port));
    const id = await refusedWhenMade(url);
    await refusedWhenTested(id);
    expect((await guarded.rest(`POST connections/${id}/refresh`)).json.data).toMatchObject({
      status: 'error',
    });
    expect((await guarded.call(id, 'work')).json.error.message).toBe('Unknown tool: work');

    // What one server had is known while its connection leads to another, so that there is something to call.
    const moved = await guarded.connect('Moved', upstream.url, PRIVATE);
    await works(moved);
    const seen = upstream.seen.length;
    const { item } = await guarded.manage('COLLECTION_CONNECTIONS_UPDATE', {
      id: moved,
      data: { connection_url: url },
    });
    expect(item).toMatchObject({ catalog: { last_error: expect.stringContaining(REASON) as unknown } });
    await refusedWhenTested(moved);
    await refusedWhenCalled(moved, new URL(url).hostname);
    expect(upstream.seen).toHaveLength(seen);
  });

  test.each([
    'http://169.254.169.254/mcp',
    'http://169.254.169.254:PORT/mcp',
    'http://[::ffff:169.254.169.254]/mcp',
    'http://0xa9fea9fe/mcp',
  ])('of metadata (%s) is stored for nobody, allowed or not', async (form) => {
    const url = form.replace('PORT', String(port));
    const id = await guarded.connect('Stays', upstream.url, PRIVATE);
    const attempts = [
      await create(url),
      await create(url, PRIVATE),
      await guarded.attempt('COLLECTION_CONNECTIONS_UPDATE', { id, data: { connection_url: url } }),
      await guarded.attempt('COLLECTION_CONNECTIONS_UPDATE', {
        id,
        data: { connection_url: url, ...PRIVATE },
      }),
    ];
    for (const { json } of attempts)
      expect(json.result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'invalid' } });
    await works(id);
  });

  // An address is believed for a moment after it was checked; connections go to what was checked all the time.
  const passed = { ms: 0 };
  beforeAll(() => {
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + passed.ms);
  });

  test.each(['127.0.0.1', '169.254.169.254', '::ffff:10.0.0.1'])(
    'that a name leads to only after it was checked (%s) is refused when it is made, tested and called',
    async (address) => {
      network.lead('rebinds.test', ALLOWED);
      const url = `http://rebinds.test:${port}/mcp`;
      const plain = { metadata: { gateway: { allowPlain: true } } };
      const id = await guarded.connect('Rebinds', url, plain);
      await works(id);
      const seen = upstream.seen.length;
      network.lead('rebinds.test', address);
      await refusedWhenTested(id);
      await refusedWhenTested(await refusedWhenMade(url, plain));
      expect(upstream.seen).toHaveLength(seen);
      // Until then a call goes where it went, which is all that the name can bring about.
      await works(id);
      passed.ms += 5_000;
      await refusedWhenCalled(id, address);
      expect((await guarded.rest(`POST connections/${id}/refresh`)).json.data).toMatchObject({
        catalog: { stale: true },
      });
      expect(upstream.seen).toHaveLength(seen + 1);
    },
  );

  test.each([
    'http://127.0.0.1:PORT/',
    'http://169.254.169.254/',
    'http://[::ffff:10.0.0.1]/',
    'http://0x7f000001:PORT/',
    'http://redirects.test:PORT/',
  ])('that a server redirects to (%s) is not followed, whatever it was asked', async (form) => {
    const location = form.replace('PORT', String(port));
    network.lead('redirects.test', '127.0.0.1');
    const other = await serving();
    onTestFinished(() => other[Symbol.asyncDispose]());
    const id = await guarded.connect('Redirects', other.url, PRIVATE);
    await works(id);
    other.script.fault = (_request, response) => {
      response.writeHead(307, { location }).end();
      return true;
    };
    const { json, text } = await guarded.call(id, 'work');
    expect(json.result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'unavailable' } });
    expect(text).not.toContain(location);
    expect((await guarded.plain(id, 'work')).status).toBe(503);
    expect(await guarded.manage('CONNECTION_TEST', { id })).toMatchObject({ healthy: false });
    expect((await guarded.rest(`POST connections/${id}/refresh`)).json.data).toMatchObject({
      status: 'degraded',
      catalog: { stale: true },
    });
    const { item } = (await create(other.url, PRIVATE)).json.result.structuredContent;
    expect(item).toMatchObject({ tools: null, catalog: { last_error: expect.any(String) as unknown } });
    expect(await guarded.manage('CONNECTION_TEST', { id: item.id })).toMatchObject({ healthy: false });
  });

  test('is allowed by an owner for one connection, and for no other', async () => {
    const id = await guarded.connect('Allowed', upstream.url, PRIVATE);
    await works(id);
    // That it was tried is seen, so that it would be seen of others.
    expect(network.tried).toContain(`127.0.0.1 ${upstream.port}`);
    const seen = upstream.seen.length;
    const other = await guarded.connect('Other', upstream.url);
    expect((await guarded.call(other, 'work')).json.error.message).toBe('Unknown tool: work');
    expect(upstream.seen).toHaveLength(seen);
    // Nobody allows this server itself, on whichever port it is.
    const { json: refused } = await create(`${guarded.url}/mcp`, PRIVATE);
    expect(refused.result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'invalid' } });
    const member = await guarded.keyOf('member');
    const data = { title: 'Mine', connection_type: 'HTTP', connection_url: upstream.url, ...PRIVATE };
    const { json } = await guarded.attempt('COLLECTION_CONNECTIONS_CREATE', { data }, member);
    expect(json.error ?? json.result.isError).toBeTruthy();
    expect(upstream.seen).toHaveLength(seen);
  });
});
