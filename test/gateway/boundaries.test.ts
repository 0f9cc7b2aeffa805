/** Who is who, and what goes where: credentials, tenants, headers and ids, from outside. */
import { eventually } from '@parley/test-support/eventually';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { startServer } from '@parley/test-support/scripted-server';
import type { Answer } from '@parley/test-support/wire';
import { send } from '@parley/test-support/wire';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { initialize, openSession } from '../../packages/gateway/test/session.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

let server: GatewayServer;

beforeAll(async () => {
  server = await startGatewayServer();
});

afterAll(() => server[Symbol.asyncDispose]());

async function upstreamOf(era: '2026' | '2025', answer?: (args: unknown) => unknown) {
  const upstream = await startUpstream({
    era,
    tools: [plainTool('work')],
    answer: (_name, args) => ({ content: [{ type: 'text', text: JSON.stringify(answer?.(args) ?? args) }] }),
  });
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  return upstream;
}

const codeOf = ({ json }: Answer) => json.result._meta?.['dev.parley/code'];

test('check 24: a token of one person serves that person alone, and who has none is told where to bring one', async () => {
  const upstream = await upstreamOf('2025');
  const personalToken = { header: 'X-Api-Key', template: '{token}' };
  const id = await server.connect('Personal', upstream.url, { metadata: { gateway: { personalToken } } });
  const people = { ada: await server.keyOf('admin'), bo: await server.keyOf('admin') };
  const keysSeen = () => [...new Set(upstream.seen.flatMap(({ headers }) => headers['x-api-key'] ?? []))];
  // Nobody has agreed to what nobody has seen; the first who can look lets the tools in.
  expect(
    (await server.rest(`PUT connections/${id}/token`, { token: 'token-of-ada' }, people.ada)).status,
  ).toBe(204);
  expect((await server.rest(`POST connections/${id}/refresh`, {}, people.ada)).status).toBe(200);
  await approveAll(id, people.ada);
  await eventually(async () =>
    expect(codeOf(await server.call(id, 'work', {}, { key: people.ada }))).toBeUndefined(),
  );
  expect(keysSeen()).toEqual(['token-of-ada']);
  const calls = upstream.calls.length;
  const refused = await server.call(id, 'work', {}, { key: people.bo });
  expect(codeOf(refused)).toBe('auth_required');
  expect(refused.text).toContain(`connections/${id}/token`);
  expect(refused.text).not.toContain('token-of-ada');
  expect((await server.plain(id, 'work', {}, { key: people.bo })).status).toBe(424);
  expect(upstream.calls).toHaveLength(calls);
  await server.rest(`PUT connections/${id}/token`, { token: 'token-of-bo' }, people.bo);
  upstream.seen.length = 0;
  for (const name of ['ada', 'bo'] as const) {
    await server.call(id, 'work', {}, { key: people[name] });
    const sent = upstream.seen.findLast(({ body }) => body.includes('tools/call'));
    expect(sent?.headers['x-api-key']).toBe(`token-of-${name}`);
  }
});

async function approveAll(id: string, key: string): Promise<void> {
  const { json } = await server.rest(`GET connections/${id}/definitions`, undefined, key);
  const definitions = json.data.definitions.map(({ tool, hash }: { tool: string; hash: string }) => ({
    tool,
    hash,
  }));
  if (definitions.length > 0)
    expect((await server.rest(`POST connections/${id}/definitions/approve`, { definitions })).status).toBe(
      200,
    );
}

test.each(['2026', '2025'] as const)(
  'check 25: many clients with equal ids, an upstream of %s: no canary arrives elsewhere',
  async (era) => {
    const upstream = await upstreamOf(era);
    const tenants = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const key = await server.stranger(`tenant-${era}-${n}`);
        const data = { title: 'Shared upstream', connection_type: 'HTTP', connection_url: upstream.url };
        const { item } = await server.manage('COLLECTION_CONNECTIONS_CREATE', { data }, key);
        return { key, id: item.id as string, canary: `canary-${n}-` };
      }),
    );
    const calls = tenants.flatMap(({ key, id, canary }) =>
      Array.from({ length: 20 }, async (_, n) => {
        const said = `${canary}${n}`;
        const { json, text } = await server.call(id, 'work', { said }, { key, id: 7 });
        expect(json.result.content).toEqual([{ type: 'text', text: JSON.stringify({ said }) }]);
        expect(text.match(/canary-\d+-/g)?.every((found) => found === canary)).toBe(true);
      }),
    );
    await Promise.all(calls);
    expect(upstream.calls).toHaveLength(calls.length);
    for (const { key, canary } of tenants)
      await eventually(async () => {
        const logs = await server.attempt('MONITORING_LOGS_LIST', { limit: 100 }, key);
        const found = logs.text.match(/canary-\d+-/g) ?? [];
        expect(found.length).toBeGreaterThan(0);
        expect(found.every((each) => each === canary)).toBe(true);
      });
  },
);

test('check 27: a foreign Host or Origin, a doubled header, or no key: nothing of a connection answers', async () => {
  const upstream = await upstreamOf('2026');
  const id = await server.connect('Guarded', upstream.url);
  const seen = upstream.seen.length;
  const attempts: [string, Record<string, string | string[]>, string | undefined, number][] = [
    ['a foreign Host', { host: 'evil.example' }, server.key, 403],
    ['a foreign Origin', { origin: 'https://evil.example' }, server.key, 403],
    // The limits of security.md say 400 for a doubled header, and the door looks at it before the key.
    ['two origins', { origin: ['http://localhost', 'https://evil.example'] }, server.key, 400],
    ['two origins without a key', { origin: ['http://localhost', 'https://evil.example'] }, undefined, 400],
    ['no key', {}, undefined, 401],
    ['a wrong key', {}, 'parley_wrong', 401],
  ];
  for (const [name, headers, key, status] of attempts)
    for (const path of [`/mcp/${id}`, `/mcp/${id}/call-tool/work`]) {
      const answer = await send({
        port: server.port,
        key,
        path,
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
      expect([name, path, answer.status]).toEqual([name, path, status]);
    }
  expect(upstream.seen).toHaveLength(seen);
});

test('check 28: forged headers change nothing about who calls, and reach nobody', async () => {
  const upstream = await upstreamOf('2026');
  const id = await server.connect('Forged', upstream.url);
  const { item } = await server.manage('COLLECTION_VIRTUAL_MCP_CREATE', {
    data: { title: 'Forged', connections: [] },
  });
  const stranger = await server.stranger('forger');
  const { identity } = server.app.host;
  const organizationId = await identity.firstOrganizationId();
  const caller = await server.keyOf('admin');
  const callerOf = async (key: string) =>
    (await identity.authenticate(key, 'key')) ?? expect.fail('No such key');
  const [owner, self] = [await callerOf(server.key), await callerOf(caller)];
  // All of them exist, and are somebody else's or something else.
  const forged = {
    'x-parley-user': owner.userId ?? '',
    'x-parley-organization': organizationId,
    'x-parley-caller': owner.id,
    'x-parley-token': server.key,
    'x-caller-id': owner.id,
    'x-org-id': organizationId,
    'x-virtual-mcp-id': item.id as string,
    'x-forwarded-for': '8.8.8.8',
    cookie: 'a=b',
  };
  // With headers of the first organization a stranger is still one.
  expect((await server.call(id, 'work', {}, { key: stranger, headers: forged })).status).toBe(404);
  expect((await server.plain(id, 'work', {}, { key: stranger, headers: forged })).status).toBe(404);
  // Nor does anybody get at more than they may, or at less.
  const none = await server.keyOf('member', { parley: ['*'] });
  expect((await server.call(id, 'work', {}, { key: none, headers: forged })).json.error.message).toBe(
    'Unknown tool: work',
  );
  const before = upstream.seen.length;
  const plain = await server.call(id, 'work', { n: 1 }, { key: caller });
  const same = await server.call(id, 'work', { n: 2 }, { key: caller, headers: forged });
  expect(same.text.replace('2', '1')).toBe(plain.text);
  expect((await server.plain(id, 'work', { n: 3 }, { key: caller, headers: forged })).status).toBe(200);
  const sent = upstream.seen.slice(before);
  expect(sent).toHaveLength(3);
  for (const { headers } of sent)
    for (const name of Object.keys(forged)) expect([name, headers[name]]).toEqual([name, undefined]);
  await eventually(async () => {
    const { logs } = await server.manage('MONITORING_LOGS_LIST', { connectionId: id, limit: 10 });
    const served = logs.filter(({ isError }: { isError: boolean }) => !isError);
    expect(served).toHaveLength(3);
    for (const log of served)
      expect(log).toMatchObject({ userId: self.userId, callerId: self.id, virtualMcpId: null });
  });
});

test('check 29: random and foreign ids are the same 404, on every route', async () => {
  const upstream = await upstreamOf('2026');
  const id = await server.connect('Foreign', upstream.url);
  const { item } = await server.manage('COLLECTION_VIRTUAL_MCP_CREATE', {
    data: { title: 'Foreign', connections: [{ connection_id: id }] },
  });
  const virtualId: string = item.id;
  const key = await server.stranger('looker');
  const seen = upstream.seen.length;
  const get = (path: string) => send({ port: server.port, key, method: 'GET', path });
  const of: Readonly<Record<string, (to: string) => Promise<Answer>>> = {
    call: (to) => server.call(to, 'work', {}, { key }),
    list: (to) => server.ask(to, 'tools/list', {}, { key }),
    plain: (to) => server.plain(to, 'work', {}, { key }),
    'virtual call': (to) => server.call(`virtual-mcp/${to}`, 'work', {}, { key }),
    'virtual list': (to) => server.ask(`virtual-mcp/${to}`, 'tools/list', {}, { key }),
    'virtual list in a mode': (to) =>
      server.ask(`virtual-mcp/${to}?mode=smart_tool_selection`, 'tools/list', {}, { key }),
    'virtual plain': (to) => server.plain(`virtual-mcp/${to}`, 'work', {}, { key }),
    session: (to) => initialize({ port: server.port, key, path: `/mcp/${to}` }),
    'virtual session': (to) => initialize({ port: server.port, key, path: `/mcp/virtual-mcp/${to}` }),
    'metadata below': (to) => get(`/mcp/${to}/.well-known/oauth-authorization-server`),
    authorize: (to) => server.rest(`POST connections/${to}/authorize`, {}, key),
    auth: (to) => server.rest(`GET connections/${to}/auth`, undefined, key),
    token: (to) => server.rest(`PUT connections/${to}/token`, { token: 'x' }, key),
    revoke: (to) => server.rest(`DELETE connections/${to}/auth`, undefined, key),
    refresh: (to) => server.rest(`POST connections/${to}/refresh`, {}, key),
    definitions: (to) => server.rest(`GET connections/${to}/definitions`, undefined, key),
    'virtual tools': (to) => server.rest(`GET virtual-mcps/${to}/tools`, undefined, key),
  };
  for (const [name, route] of Object.entries(of)) {
    const [unknown, ...others] = await Promise.all(
      ['conn_0123456789abcdef01234567', 'vir_0123456789abcdef01234567', 'x', id, virtualId].map(route),
    );
    for (const { status, text } of others) expect([name, status, text]).toEqual([name, 404, unknown?.text]);
    expect([name, unknown?.status]).toEqual([name, 404]);
  }
  // What a resource asks for is told to everybody before any key, so it is one text for whatever id.
  for (const below of ['', 'virtual-mcp/']) {
    const told = await Promise.all(
      ['conn_0123456789abcdef01234567', 'vir_0123456789abcdef01234567', 'x', id, virtualId].map(
        async (to) => {
          const { status, text } = await get(`/.well-known/oauth-protected-resource/mcp/${below}${to}`);
          return [status, text.replace(`/mcp/${below}${to}"`, '/mcp/ID"')];
        },
      ),
    );
    expect(new Set(told.map(String)).size, String(told)).toBe(1);
    expect(told[0]?.[0]).toBe(200);
  }
  expect(upstream.seen).toHaveLength(seen);
});

test('sessions whose connection was taken away end when they are ended, and count no more', async () => {
  const upstream = await upstreamOf('2026');
  const sessions = async () => {
    const { text } = await send({ port: server.port, key: server.key, method: 'GET', path: '/metrics' });
    return Number(/^parley_sessions (\d+)$/m.exec(text)?.[1]);
  };
  const before = await sessions();
  const id = await server.connect('Short', upstream.url);
  const to = { port: server.port, key: server.key, path: `/mcp/${id}` };
  const opened = await Promise.all([1, 2, 3].map(() => openSession(to)));
  expect(await sessions()).toBe(before + 3);
  await server.manage('COLLECTION_CONNECTIONS_DELETE', { id, force: true });
  // Of another caller and at another URL it is nobody's business.
  const other = { ...to, key: await server.keyOf('admin') };
  const [first] = opened;
  for (const where of [other, { ...to, path: '/mcp/conn_none' }])
    expect((await send({ ...where, method: 'DELETE', headers: first?.headers ?? {} })).status).toBe(404);
  expect(await sessions()).toBe(before + 3);
  for (const { headers } of opened)
    expect((await send({ ...to, method: 'DELETE', headers })).status).toBe(404);
  expect(await sessions()).toBe(before);
});

test('a service of OpenAPI that leads back to this server by the plain route ends after five rounds', async () => {
  let id = '';
  let rounds = 0;
  const document = (origin: string) => ({
    openapi: '3.1.0',
    info: { title: 'Round', version: '1' },
    servers: [{ url: origin }],
    paths: { '/round': { post: { operationId: 'round', responses: { 200: { description: 'Done' } } } } },
  });
  await using service = await startServer((request, response) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET') return json(200, document(`http://${request.headers.host ?? ''}`));
    rounds += 1;
    if (rounds > 10) return json(500, {});
    // As a proxy does it, which passes on all headers.
    const hops = String(request.headers['x-parley-hops']);
    const again = server.plain(id, 'round', {}, { headers: { 'x-parley-hops': hops } });
    return again.then(({ status, json: said }) => json(status === 200 ? 200 : 422, said));
  });
  id = await server.connect('Round', `${service.origin}/openapi.json`, { connection_type: 'OPENAPI' });
  const { text } = await server.plain(id, 'round');
  expect(rounds).toBe(5);
  expect(text).toContain('5 times');
});
