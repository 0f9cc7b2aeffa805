/** The first run and the open port: what is made, what is printed, what answers without a key, what operators see. */
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ABSENT_FILES, ABSENT_OAUTH, OPEN_ROUTES } from '../../apps/server/src/index.ts';
import { loadOwnToolsets, openPathsOf } from '../../apps/server/src/index.ts';
import { ensureBuilt } from './build.ts';
import { callTool, message, post } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

const folder = scratchFolder();
const data = join(folder.path, 'data');
let server: Server;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(data);
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

/** A request with exactly these headers. */
function send(
  path: string,
  options: { method?: string; key?: string; headers?: Record<string, string> } = {},
) {
  const { method = 'GET', key, headers = {} } = options;
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const req = request(
      `${server.url}${path}`,
      { method, headers: { ...authorization, ...headers } },
      (res) => {
        let body = '';
        res.setEncoding('utf8').on('data', (text: string) => (body += text));
        res.on('end', () => resolve({ status: res.statusCode ?? 0, body }));
      },
    );
    req.on('error', reject).end();
  });
}

async function newKey(...grants: string[]): Promise<string> {
  const flags = grants.flatMap((grant) => ['--grant', grant]);
  const { stdout } = await runParley(['keys', 'create', 'Some key', '--data', data, '--json', ...flags]);
  return (JSON.parse(stdout) as { key: string }).key;
}

describe('the first run', () => {
  test('prints one JSON line with the URLs, the folder and the key file, and nothing else', () => {
    const ready = JSON.parse(server.stdout()) as Record<string, string>;
    expect(server.stdout().trim().split('\n')).toHaveLength(1);
    expect(Object.keys(ready)).toEqual([
      'url',
      'mcp',
      'data',
      'ownerKeyFile',
      'console',
      'signIn',
      'overlayTag',
    ]);
    expect(ready).toMatchObject({ mcp: `${ready.url}/mcp`, data, ownerKeyFile: join(data, 'owner.key') });
    expect(Number(new URL(server.url).port)).toBeGreaterThan(0);
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
  });

  test('makes a folder and keys that only their owner can read', () => {
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect(modeOf(data)).toBe(0o700);
    expect(modeOf(join(data, 'owner.key'))).toBe(0o600);
    expect(modeOf(join(data, 'secret.key'))).toBe(0o600);
    expect(readFileSync(join(data, 'owner.key'), 'utf8')).toMatch(/^parley_[0-9A-Za-z]{12}_[\w-]{43}\n$/);
  });

  test('gives an owner key that works at once', async () => {
    const { body } = await callTool(server, 'parley_whoami');
    expect(body.result?.structuredContent).toMatchObject({
      caller: { name: 'Owner key' },
      organization: { name: 'Default' },
      roles: ['owner'],
      source: 'key',
    });
  });
});

describe('without a key', () => {
  test('only the open routes answer', async () => {
    const documents = ['/__parley/overlay.js', '/api/v1/openapi.json', '/api/v1/docs'];
    const agents = [
      'agents',
      'skill-bundles',
      'projects',
      'executions',
      'plugins',
      'notifications',
      'questions',
    ];
    const management = [
      'events',
      'organizations',
      'tools/management',
      'audit',
      'calls',
      'connections',
      'virtual-mcps',
      ...agents,
    ].flatMap((set) => [`/api/${set}/openapi.json`, `/api/${set}/docs`]);
    const files = ['/feedback/style.css', '/feedback/app.js'];
    const open = [...OPEN_ROUTES, ...openPathsOf(await loadOwnToolsets())];
    const metadata = '/.well-known/oauth-protected-resource/mcp';
    expect(open).toEqual(['/', '/health', '/ready', metadata, ...management, ...documents, ...files]);
    for (const path of open) expect((await send(path)).status, path).toBe(path === '/' ? 302 : 200);
    // One document about all of them.
    for (const path of ['/api/openapi.json', '/api/docs']) expect((await send(path)).status, path).toBe(200);
    expect(await send('/health')).toEqual({ status: 200, body: '{"status":"ok"}' });
    expect(await send('/ready?probe=1')).toEqual({ status: 200, body: '{"status":"ready"}' });
    const closed = [
      '/mcp',
      '/mcp/parley',
      '/metrics',
      '/nowhere',
      '/health/',
      '/api/session',
      '/api/home',
      '/api/live',
      '/api/agents',
      // No agent is offered to other servers until the operator says so.
      '/.well-known/agent-card.json',
      '/a2a/tasks/x',
      '/__parley/x',
    ];
    for (const path of closed) expect((await send(path)).status, path).toBe(401);
    for (const path of ['/api/v1', '/api/v1/posts', '/api/v1/members', '/api/v1/nowhere'])
      expect((await send(path)).status, path).toBe(401);
    // Nothing is public until the owner says so.
    for (const path of ['/feedback', '/feedback/roadmap', '/changelog.xml', '/api/public/boards'])
      expect((await send(path)).status, path).toBe(404);
    for (const path of ['/health', '/', '/favicon.ico'])
      expect((await send(path, { method: 'POST' })).status, path).toBe(401);
    const page = { headers: { origin: 'http://localhost:5173' } };
    expect((await send('/__parley/events', page)).status).toBe(401);
    for (const path of ['/__parley/messages', '/__parley/screenshots']) {
      expect((await send(path, { ...page, method: 'POST' })).status, path).not.toBe(200);
      expect((await send(path, { method: 'POST' })).status, path).toBe(403);
    }
    expect((await post(server.mcp, undefined, message(1, 'tools/list'))).status).toBe(401);
  });

  test('what clients and browsers ask for by habit is a plain 404', async () => {
    expect(ABSENT_FILES).toEqual(['/favicon.ico', '/robots.txt']);
    const named = ['oauth-authorization-server', 'oauth-protected-resource', 'openid-configuration'];
    const fallbacks = ['/authorize', '/register', '/token'];
    expect(ABSENT_OAUTH).toEqual([...named.map((name) => `/.well-known/${name}`), ...fallbacks]);
    for (const path of ABSENT_FILES)
      expect(await send(path), path).toEqual({ status: 404, body: 'There is nothing here.\n' });
    const body =
      '{"error":"not_found","error_description":"There is no OAuth here. Send an API key as a bearer token."}';
    const asked = ABSENT_OAUTH.flatMap((path) =>
      path.startsWith('/.well-known/') ? [path, `${path}/mcp`, `/mcp${path}`] : [path],
    );
    for (const path of asked)
      for (const method of ['GET', 'POST'])
        // What a client has to know of an MCP URL is there to be read.
        if (method !== 'GET' || path !== '/.well-known/oauth-protected-resource/mcp')
          expect(await send(`${path}?x=1`, { method }), path).toEqual({ status: 404, body });
    // Nothing besides: these are no way in.
    for (const path of ['/.well-known/other', '/register/x', '/mcp/register', '/robots.txt/x'])
      expect((await send(path)).status, path).toBe(401);
    expect((await send('/', { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await send('/register', { method: 'POST', headers: { host: 'evil.example' } })).status).toBe(403);
  });

  test('the front leads to the console, whose address and one-time link were printed', async () => {
    const { port } = new URL(server.url);
    const ready = JSON.parse(server.stdout()) as Record<string, string>;
    expect(ready.console).toBe(`http://localhost:${port}/console`);
    expect(ready.signIn).toMatch(/^http:\/\/localhost:\d+\/console\/sign-in#token=parley_link_[\w-]{43}$/);
    const answer = await fetch(server.url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console']);
  });

  test('a client that looks for OAuth first, and many times, still reads what a wrong key needs', async () => {
    const wrong = `parley_${'w'.repeat(12)}_${'x'.repeat(43)}`;
    for (let round = 0; round < 5; round += 1) {
      for (const path of [...ABSENT_OAUTH, ...ABSENT_FILES, '/', '/mcp', '/metrics', '/api/v1/posts'])
        expect((await send(path)).status, path).not.toBe(429);
      for (const path of ['/mcp', '/api/v1/posts']) {
        const answer = await send(path, { key: wrong });
        expect(answer.status, path).toBe(401);
        expect(answer.body).toContain('Send a valid API key as \\"Authorization: Bearer <key>\\".');
      }
    }
  });

  test('guessing is slowed down, and a valid key is not', async () => {
    const guess = () => send('/metrics', { key: `parley_${'a'.repeat(12)}_${'b'.repeat(43)}` });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) statuses.push((await guess()).status);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect((await callTool(server, 'parley_whoami')).status).toBe(200);
  });
});

describe('operators', () => {
  test('see metrics with an administrator key of full power', async () => {
    await callTool(server, 'parley_whoami');
    await callTool(server, 'no_such_tool');
    const { status, body } = await send('/metrics', { key: server.key });
    expect(status).toBe(200);
    expect(body).toContain('mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call"');
    expect(body).toContain('gen_ai_tool_name="parley_whoami"');
    expect(body).not.toContain('no_such_tool');
  });

  test('see nothing with a narrow key, as if there were nothing', async () => {
    const narrow = await newKey('parley:parley_whoami');
    const metrics = await send('/metrics', { key: narrow });
    const nothing = await send('/nowhere', { key: narrow });
    expect(metrics.status).toBe(404);
    expect(metrics).toEqual(nothing);
  });

  test('a narrow key has what it names and nothing else', async () => {
    const narrow = await newKey('parley:parley_whoami');
    const { body } = await post(server.mcp, narrow, message(1, 'tools/list'));
    expect(body.result?.tools?.map(({ name }) => name)).toEqual(['parley_whoami']);
    const hidden = await callTool({ mcp: server.mcp, key: narrow }, 'parley_explain', {
      caller: 'x',
      tool: 'y',
    });
    const unknown = await callTool({ mcp: server.mcp, key: narrow }, 'parley_nothing', {
      caller: 'x',
      tool: 'y',
    });
    expect(hidden.text.replaceAll('parley_explain', 'parley_nothing')).toBe(unknown.text);
  });
});

describe('limits of the port', () => {
  test('17 KiB of headers are refused with 431, and the next request works', async () => {
    const junk = { 'x-junk': 'j'.repeat(17 * 1024) };
    expect((await send('/health', { headers: junk })).status).toBe(431);
    expect((await send('/mcp', { key: server.key, headers: junk })).status).toBe(431);
    expect((await send('/health')).status).toBe(200);
  });

  test('another Host or Origin is refused, on open routes too', async () => {
    expect((await send('/health', { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await send('/ready', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });
});
