/** Live changes over real HTTP: only nouns, only of the own organization, only while one may. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { Store } from '@parley/store';
import { detach } from '@parley/kit';
import { expect, onTestFinished, test } from 'vitest';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import { createRestRoutes } from '../rest.ts';
import { onBothEngines } from '../testing/engines.ts';

/** A client that listens. */
interface Listener {
  readonly status: number;
  readonly headers: Headers;
  /** Reads on until the text so far holds this; throws when the stream ends before. */
  until(wanted: string): Promise<string>;
  /** Reads to the end of the stream. */
  end(): Promise<string>;
  leave(): Promise<void>;
}

async function listen(api: TestApi, as: string): Promise<Listener> {
  const aborter = new AbortController();
  const answer = await fetch(`${api.url}/stream`, {
    headers: { authorization: `Bearer ${as}`, 'if-none-match': '*', 'idempotency-key': 'k' },
    signal: aborter.signal,
  });
  onTestFinished(() => aborter.abort());
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('There is no body.');
  let text = '';
  const read = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    text += value ?? '';
    return !done;
  };
  return {
    status: answer.status,
    headers: answer.headers,
    async until(wanted) {
      while (!text.includes(wanted))
        if (!(await read())) throw new Error(`The stream ended after ${JSON.stringify(text)}.`);
      return text;
    },
    async end() {
      while (await read());
      return text;
    },
    leave: () => reader.cancel(),
  };
}

/** Until the server has noticed that somebody left, a new stream is refused. */
async function listenWhenFree(api: TestApi, as: string): Promise<Listener> {
  for (;;) {
    const listener = await listen(api, as);
    if (listener.status === 200) return listener;
    await listener.end();
  }
}

const openBoth = async (store: Store) =>
  [await openRest(store), await openRest(store, { slug: 'neighbour' })] as const;

onBothEngines('the stream', (open) => {
  test('tells which lists have changed, and nothing of other organizations or of what changed', async () => {
    const [api, neighbour] = await openBoth(await open());
    const stream = await listen(api, api.keys.member);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(stream.headers.get('idempotency-supported')).toBe('true');
    expect(stream.headers.get('etag')).toBeNull();
    await stream.until(': listening');
    await neighbour.services.tags.create(neighbour.admin, { name: 'Foreign' });
    await api.post({ title: 'Secret title' });
    const text = await stream.until('event: feedback.boards\ndata: {"noun":"boards"}\n\n');
    await api.services.changelog.create(api.admin, { title: 'Secret entry', content: 'Text' });
    const all = text + (await stream.until('data: {"noun":"changelog"}'));
    expect(all).toContain('event: feedback.posts\ndata: {"noun":"posts"}\n\n');
    expect(all).not.toMatch(/tags|Secret|org_|post_|answered/);
    expect(api.records.at(-1)).toMatchObject({ name: 'GET /api/v1/stream', outcome: 'ok' });
  });

  test('ends when its key is revoked, and stays for others', async () => {
    const [api] = await openBoth(await open());
    const made = await api.call('POST', '/keys', {
      as: api.keys.admin,
      body: { name: 'Soon gone', role: 'member' },
    });
    const [short, long] = [await listen(api, made.json.data.key), await listen(api, api.keys.member)];
    await short.until(': listening');
    await api.call('DELETE', `/keys/${made.json.data.id}`, { as: api.keys.admin });
    await short.end();
    await api.post();
    await long.until('feedback.posts');
    expect((await listen(api, made.json.data.key)).status).toBe(401);
  });

  test('shows that it lives, and ends when its key expires or its member leaves the team', async () => {
    let now = Date.now();
    const api = await openRest(await open(), { now: () => now, streams: { keepAliveMs: 20 } });
    const expiring = await listen(
      api,
      await api.keyFor(api.callers.member, { expiresAt: now + 60_000, role: 'member' }),
    );
    await expiring.until(': still here');
    now += 61_000;
    expect(await expiring.end()).toMatch(/: still here\n\n$/);
    const leaver = await api.join('member', 'Lea Leaver');
    const leaving = await listen(api, await api.keyFor(leaver.caller));
    await leaving.until(': still here');
    await api.services.members.setRole(api.admin, api.callers.admin, leaver.memberId, 'user');
    expect(await leaving.end()).toContain(': listening');
  });

  test('is refused to too many at once, and has a place again when somebody leaves', async () => {
    const store = await open();
    const api = await openRest(store, { streams: { perOrganization: 2, perProcess: 3 } });
    const streams = [await listen(api, api.keys.admin), await listen(api, api.keys.member)];
    const refused = await api.call('GET', '/stream', { as: api.keys.admin });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await streams[0]?.leave();
    await (await listenWhenFree(api, api.keys.admin)).until(': listening');
  });

  test('ends when the server stops, so that nothing waits for it', async () => {
    const api = await openRest(await open());
    const [routes] = createRestRoutes(api.services, { names: { hosts: [], origins: [] } });
    if (routes === undefined) throw new Error('There are no routes.');
    const server = createServer((req, res) =>
      detach(routes.handle(req, res), (error) => res.destroy(error as Error)),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a listening TCP server has a port
    const stream = await listen({ ...api, url: `http://127.0.0.1:${port}/api/v1` }, api.keys.member);
    await stream.until(': listening');
    await routes.close();
    expect(await stream.end()).toBe(': listening\n\n');
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await closed;
  });

  test('counts the whole process too', async () => {
    const api = await openRest(await open(), { streams: { perProcess: 1 } });
    await listen(api, api.keys.admin);
    expect((await api.call('GET', '/stream', { as: api.keys.member })).status).toBe(429);
  });

  test('has places for others when one caller has taken all of its own', async () => {
    const api = await openRest(await open(), { streams: { perCaller: 2 } });
    await listen(api, api.keys.member);
    await listen(api, api.keys.member);
    expect((await api.call('GET', '/stream', { as: api.keys.member })).status).toBe(429);
    await (await listen(api, api.keys.admin)).until(': listening');
  });

  test('leaves one key at most 10 of the 50 places of its organization', async () => {
    const api = await openRest(await open());
    for (let at = 0; at < 10; at += 1) expect((await listen(api, api.keys.member)).status).toBe(200);
    expect((await listen(api, api.keys.member)).status).toBe(429);
    expect((await listen(api, api.keys.admin)).status).toBe(200);
  });

  test('that is reset in the middle gives its place back', async () => {
    const api = await openRest(await open(), { streams: { perCaller: 1 } });
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `GET /api/v1/stream HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${api.keys.member}\r\n\r\n`,
    );
    await once(socket, 'data');
    const made = api.post();
    socket.resetAndDestroy();
    await made;
    expect(await (await listenWhenFree(api, api.keys.member)).until(': listening')).toBe(': listening\n\n');
  });

  test('has no HEAD and no other method, and takes no query', async () => {
    const api = await openRest(await open());
    for (const method of ['HEAD', 'POST']) {
      const { status, headers } = await api.call(method, '/stream', { as: api.keys.admin });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET']);
    }
    expect((await api.call('GET', '/stream?x=1', { as: api.keys.admin })).status).toBe(400);
    expect((await api.call('HEAD', '/posts', { as: api.keys.admin })).status).toBe(200);
  });
});
