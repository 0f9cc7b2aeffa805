/** Owns mixed traffic at a steady rate: ordinary calls, mistakes and malice, each with the statuses it may get. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { message } from '../../test/product/mcp-messages.ts';
import type { Target } from './target.ts';
import { INITIALIZE } from './unread.ts';

/** One request, and which statuses are a right answer to it. */
interface Shot {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly expected: readonly number[];
  /** The client leaves in the middle of its body. */
  readonly leaves?: boolean;
}

/** What a run of traffic came to. */
export interface TrafficResult {
  sent: number;
  readonly unexpected: Map<string, number>;
}

/** Sends `perSecond` requests for some seconds. */
export async function traffic(target: Target, perSecond: number, seconds: number): Promise<TrafficResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const result: TrafficResult = { sent: 0, unexpected: new Map() };
  const running = new Set<Promise<void>>();
  const endMs = performance.now() + seconds * 1000;
  const startMs = performance.now();
  while (performance.now() < endMs) {
    const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
    while (result.sent < due && running.size < 200) {
      const shot = shotOf(target, result.sent++);
      const sending = send(target, shot, agent).then((status) => {
        running.delete(sending);
        if (shot.leaves || shot.expected.includes(status)) return;
        const what = `${shot.name}: ${status}`;
        result.unexpected.set(what, (result.unexpected.get(what) ?? 0) + 1);
      });
      running.add(sending);
    }
    await pause(10);
  }
  await Promise.all(running);
  agent.destroy();
  return result;
}

function send(target: Target, shot: Shot, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const { method, path, headers, body } = shot;
    const req = request({ host: '127.0.0.1', port: target.port, method, path, headers, agent }, (res) => {
      res.on('error', () => resolve(-1));
      res.on('end', () => resolve(res.statusCode ?? 0));
      res.resume();
    });
    req.setTimeout(60_000, () => req.destroy());
    req.on('error', () => resolve(-1));
    if (!shot.leaves) req.end(body);
    else req.write(body ?? 'x', () => setImmediate(() => req.destroy()));
  });
}

function shotOf(target: Target, index: number): Shot {
  const key = target.keys[index % target.keys.length] ?? '';
  const make = SHOTS[index % SHOTS.length];
  // The list is never empty.
  return (make as (key: string, index: number) => Shot)(key, index);
}

const MODERN = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
};

function modern(
  name: string,
  key: string,
  body: ReturnType<typeof message>,
  expected: readonly number[],
): Shot {
  const called = (body.params as { name?: string }).name;
  const headers = {
    ...MODERN,
    authorization: `Bearer ${key}`,
    'mcp-method': body.method,
    ...(called !== undefined && { 'mcp-name': called }),
  };
  return { name, method: 'POST', path: '/mcp', headers, body: JSON.stringify(body), expected };
}

function rest(name: string, key: string, path: string, expected: readonly number[], body?: unknown): Shot {
  return {
    name,
    method: body === undefined ? 'GET' : 'POST',
    path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    expected,
  };
}

const plain = (name: string, path: string, expected: readonly number[], headers = {}): Shot => ({
  name,
  method: 'GET',
  path,
  headers,
  expected,
});

const call = (name: string, args: Record<string, unknown> = {}) => ({ name, arguments: args });
const big = 'a.'.repeat(60_000);

/** A limit that is passed is a right answer wherever there is one. */
const BUSY = 429;

const SHOTS: readonly ((key: string, index: number) => Shot)[] = [
  (key, id) => modern('whoami', key, message(id, 'tools/call', call('parley_whoami')), [200, BUSY]),
  (key, id) => modern('list', key, message(id, 'tools/list'), [200, BUSY]),
  (key, id) => modern('pending', key, message(id, 'tools/call', call('get_all_pending')), [200, BUSY]),
  (key, id) =>
    modern('search', key, message(id, 'tools/call', call('search_feedback', { query: 'dark -"' })), [
      200,
      BUSY,
    ]),
  (key) => rest('posts', key, '/api/v1/posts?limit=5', [200, BUSY]),
  (key, id) => rest('tag', key, '/api/v1/tags', [201, 409, BUSY], { name: `Tag ${id % 50}` }),
  (key) => modern('huge id', key, message(big, 'tools/call', call('parley_whoami')), [200, 400, BUSY]),
  (key, id) =>
    modern('huge tool name', key, message(id, 'tools/call', call(`x${id}${'y'.repeat(3000)}`)), [
      200,
      400,
      BUSY,
    ]),
  (key, id) =>
    modern(
      'huge cursor',
      key,
      message(id, 'tools/list', { cursor: Buffer.from(`${id}${big}`).toString('base64url') }),
      [200, 400, BUSY],
    ),
  (key, id) =>
    modern('odd input', key, message(id, 'tools/call', call('get_post', { postId: { deep: [[[[]]]] } })), [
      200,
      BUSY,
    ]),
  (key) => rest('unknown id', key, '/api/v1/posts/post_01h455vb4pex5vsknk084sn02q', [404, BUSY]),
  (key) => rest('bad body', key, '/api/v1/posts', [400, BUSY], { title: [], boardId: 7 }),
  (key) => ({
    ...rest('leaves', key, '/api/v1/posts', [], {}),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': '5000' },
    leaves: true,
  }),
  (key, id) => ({
    ...modern(
      'leaves a call',
      key,
      message(id, 'tools/call', call('watch_annotations', { timeoutMs: 5000 })),
      [],
    ),
    leaves: true,
  }),
  (key) => ({
    name: 'abandoned session',
    method: 'POST',
    path: '/mcp',
    headers: { ...MODERN, 'mcp-protocol-version': '2025-11-25', authorization: `Bearer ${key}` },
    body: JSON.stringify(INITIALIZE),
    expected: [200, BUSY],
  }),
  () => plain('no key', '/api/v1/posts', [401, BUSY]),
  (_key, id) =>
    plain('wrong key', '/api/v1/posts', [401, BUSY], {
      authorization: `Bearer parley_${String(id).padStart(12, 'A')}_${'b'.repeat(43)}`,
    }),
  () => plain('no key at MCP', '/mcp', [401, 405, BUSY]),
  () => plain('foreign host', '/feedback', [400, 403], { host: 'evil.example:99999' }),
  () => plain('page that is not public', '/feedback', [200, 404, BUSY]),
  () => plain('health', '/health', [200]),
  () => plain('OAuth probe', '/.well-known/oauth-authorization-server', [404]),
  (key) => ({ ...rest('not JSON', key, '/mcp', [400, BUSY], {}), body: '{"jsonrpc":' }),
  (key) => ({ ...rest('deep JSON', key, '/mcp', [400, BUSY], {}), body: '['.repeat(50_000) }),
  (key) => ({ ...rest('odd method', key, '/api/v1/posts', [400, 404, 405, BUSY]), method: 'PROPFIND' }),
];
