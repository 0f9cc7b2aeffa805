/** Tasks through connections in the whole server: those of upstreams, and slow calls that become tasks. */
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import type { Turn, WireScript } from '@parley/test-support/wire-upstream';
import { serveWire } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished, test } from 'vitest';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { callTool, message, post } from './mcp-messages.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const DECLARED = { [CAPABILITIES]: { elicitation: {}, extensions: { [TASKS]: {} } } };
const NOT_DECLARED = { [CAPABILITIES]: { elicitation: {} } };
const WORK = { name: 'work', inputSchema: { type: 'object' } };
const asked = {
  method: 'elicitation/create',
  params: { message: 'Go on?', requestedSchema: { type: 'object', properties: { go: { type: 'boolean' } } } },
};
const said = (text: string) => ({ content: [{ type: 'text', text }] });

type Wire = Record<string, unknown> & { readonly taskId: string; readonly status: string };

interface Setting {
  readonly script: WireScript;
  readonly gateway?: object;
}

/** A server with one connection; it can be started again on its data. */
async function start({ script, gateway = {} }: Setting) {
  const methods = {
    'tools/list': ({ result }: Turn) => result({ tools: [WORK], ttlMs: 0, cacheScope: 'private' }),
    ...script.methods,
  };
  const upstream = await serveWire({ ...script, methods });
  const database = await scratchDatabase('sqlite');
  onTestFinished(() => database.remove());
  const flags = ['--port', '0', '--data', database.options.dataDir, '--log-level', 'silent'];
  const { config } = loadConfig([...flags, '--allow-egress', new URL(upstream.url).host], { env: {} });
  const open = async () => {
    const app = await createApp({ config });
    onTestFinished(() => app.close());
    const { mcp, url } = await app.listen();
    const key = readFileSync(app.ownerKeyFile, 'utf8').trim();
    const ask = async (method: string, params: Record<string, unknown>, meta: object = DECLARED) => {
      const { body } = await post(`${mcp}/conn_1`, key, message(1, method, params, { ...meta }));
      return body as { result?: Wire; error?: { code: number; message: string } };
    };
    return { app, mcp, url, key, ask };
  };
  const server = await open();
  const made = await callTool(server, 'COLLECTION_CONNECTIONS_CREATE', {
    data: {
      id: 'conn_1',
      title: 'Worker',
      connection_type: 'HTTP',
      connection_url: upstream.url,
      metadata: { gateway },
    },
  });
  expect(made.body.result?.structuredContent).toMatchObject({ item: { status: 'active' } });
  const call = (meta: object = DECLARED) =>
    server.ask('tools/call', { name: 'work', arguments: { a: 1 } }, meta);
  const until = (taskId: string, status: string, from = server) =>
    eventually(async () => {
      const { result } = await from.ask('tasks/get', { taskId });
      expect(result?.status).toBe(status);
      return result;
    });
  return { ...server, upstream, open, call, until };
}

/** An upstream of 2026 that makes a task of every call; `task` is what it says of it. */
function taskServer(task: { current: Record<string, unknown> }): WireScript {
  const known = { taskId: 'theirs-1', ttlMs: 60_000, pollIntervalMs: 100 };
  const about = () => ({ ...known, createdAt: '2030-01-01T00:00:00Z', ...task.current });
  return {
    era: '2026',
    capabilities: { tools: {}, extensions: { [TASKS]: {} } },
    methods: {
      'tools/call': ({ message: { params }, result, response }) => {
        const meta = params?._meta?.[CAPABILITIES] as { extensions?: object } | undefined;
        if (TASKS in (meta?.extensions ?? {})) return result({ ...about(), resultType: 'task' });
        const data = { requiredCapabilities: { extensions: { [TASKS]: {} } } };
        const error = { code: -32021, message: 'It needs tasks', data };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error });
        return response.writeHead(400, { 'content-type': 'application/json' }).end(body);
      },
      'tasks/get': ({ message: { params }, result, error }) =>
        params?.['taskId'] === 'theirs-1' ? result(about()) : error(-32602, 'Task not found'),
      'tasks/update': ({ message: { params }, result }) => {
        task.current = { status: 'completed', result: said(JSON.stringify(params?.['inputResponses'])) };
        result({});
      },
      'tasks/cancel': ({ result }) => {
        task.current = { status: 'cancelled' };
        result({});
      },
    },
  };
}

test('a task of an upstream stands behind one of ours, with an id that only its caller knows', async () => {
  const task = { current: { status: 'working' } as Record<string, unknown> };
  const { call, until, ask, upstream, mcp, key } = await start({ script: taskServer(task) });
  const { result: made } = await call();
  expect(made).toMatchObject({ resultType: 'task', status: 'working' });
  const { taskId } = made as Wire;
  expect(taskId).toMatch(/^task_/);
  expect(JSON.stringify(made)).not.toContain('theirs-1');

  task.current = { status: 'input_required', inputRequests: { go: asked } };
  expect(await until(taskId, 'input_required')).toMatchObject({ inputRequests: { go: asked } });
  const inputResponses = { go: { action: 'accept', content: { go: true } } };
  await ask('tasks/update', { taskId, inputResponses });
  const done = await until(taskId, 'completed');
  expect(done).toMatchObject({ result: said(JSON.stringify(inputResponses)) });
  expect(upstream.of('tools/call')).toHaveLength(1);
  expect(upstream.of('tasks/update')).toMatchObject([{ params: { taskId: 'theirs-1', inputResponses } }]);

  const other = await callTool({ mcp, key }, 'API_KEY_CREATE', { name: 'other' });
  const foreign = String((other.body.result?.structuredContent ?? {})['key']);
  const unknown = { code: -32602, message: 'Task not found' };
  expect((await ask('tasks/get', { taskId: 'theirs-1' })).error).toEqual(unknown);
  expect((await ask('tasks/get', { taskId: 'task_nothing' })).error).toEqual(unknown);
  const asOther = await post(`${mcp}/conn_1`, foreign, message(1, 'tasks/get', { taskId }, DECLARED));
  expect(asOther.body.error).toEqual(unknown);
});

test.each([
  ['that takes longer than the sun burns', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
  ['that is none', { type: 'no such type' }, 'a'],
])(
  'an answer to a question with a schema %s stops nobody, and is left to who asked',
  async (_name, go, given) => {
    const requestedSchema = { type: 'object', properties: { go } };
    const question = { ...asked, params: { ...asked.params, requestedSchema } };
    const task = { current: { status: 'input_required', inputRequests: { go: question } } };
    const { call, until, ask } = await start({ script: taskServer(task) });
    const { taskId } = (await call()).result as Wire;
    await until(taskId, 'input_required');
    const inputResponses = { go: { action: 'accept', content: { go: given } } };
    await ask('tasks/update', { taskId, inputResponses });
    expect(await until(taskId, 'completed')).toMatchObject({ result: said(JSON.stringify(inputResponses)) });
  },
);

test.each(['working', 'input_required'])(
  'a cancel while a task is %s goes to the upstream',
  async (status) => {
    const task = { current: { status, inputRequests: { go: asked } } as Record<string, unknown> };
    const { call, until, ask, upstream } = await start({ script: taskServer(task) });
    const { taskId } = (await call()).result as Wire;
    await until(taskId, status);
    await eventually(() => expect(upstream.of('tasks/get').length).toBeGreaterThan(0));
    await ask('tasks/cancel', { taskId });
    await until(taskId, 'cancelled');
    await eventually(() =>
      expect(upstream.of('tasks/cancel')).toMatchObject([{ params: { taskId: 'theirs-1' } }]),
    );
  },
);

test.each([
  [
    'fails',
    { status: 'failed', error: { code: -32050, message: 'It broke' } },
    'failed',
    { error: { code: -32050 } },
  ],
  ['is cancelled there', { status: 'cancelled' }, 'completed', { result: { isError: true } }],
  ['ends in nonsense', { status: 'odd' }, 'completed', { result: { isError: true } }],
])('a task of an upstream that %s', async (_name, current, status, shown) => {
  const { call, until } = await start({ script: taskServer({ current }) });
  const { taskId } = (await call()).result as Wire;
  expect(await until(taskId, status)).toMatchObject(shown);
});

test('a client that did not declare tasks is told so, and its upstream is not offered them', async () => {
  const { call, upstream } = await start({ script: taskServer({ current: { status: 'working' } }) });
  const { error } = await call(NOT_DECLARED);
  expect(error).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
  });
  expect(upstream.of('tools/call')).toHaveLength(1);
  expect(upstream.of('tasks/get')).toHaveLength(0);
});

test('a client of 2025 waits for the task of an upstream, and may be asked in the middle of it', async () => {
  const task = {
    current: { status: 'input_required', inputRequests: { go: asked } } as Record<string, unknown>,
  };
  const { mcp, key, upstream } = await start({ script: taskServer(task) });
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: {} } },
  );
  const go = { action: 'accept' as const, content: { go: true } };
  client.setRequestHandler('elicitation/create', () => go);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${mcp}/conn_1`), { requestInit }));
  onTestFinished(() => client.close());
  const answer = await client.callTool({ name: 'work', arguments: {} });
  expect(answer).toMatchObject(said(JSON.stringify({ go })));
  // The first was refused before anything ran.
  expect(upstream.of('tools/call')).toHaveLength(2);
});

test('slow calls become tasks where the connection says so, for clients that declared them', async () => {
  const answers: ((text: string) => void)[] = [];
  const { call, until, ask, upstream } = await start({
    gateway: { taskAfterMs: 20 },
    script: {
      era: '2025',
      methods: { 'tools/call': ({ result }) => answers.push((text) => result(said(text))) },
    },
  });
  const waits = call(NOT_DECLARED);
  await eventually(() => expect(answers).toHaveLength(1));
  answers[0]?.('plain');
  expect((await waits).result).toMatchObject(said('plain'));

  const { taskId, status } = (await call()).result as Wire;
  expect(status).toBe('working');
  await eventually(() => expect(answers).toHaveLength(2));
  answers[1]?.('late');
  expect(await until(taskId, 'completed')).toMatchObject({ result: said('late') });

  const { taskId: third } = (await call()).result as Wire;
  await eventually(() => expect(answers).toHaveLength(3));
  await ask('tasks/cancel', { taskId: third });
  await until(third, 'cancelled');
  await eventually(() => expect(upstream.of('notifications/cancelled')).toHaveLength(1));
});

test('a write whose server stopped in the middle of it is not sent again: its outcome is unknown', async () => {
  const { call, upstream, app, open, until } = await start({
    gateway: { taskAfterMs: 0 },
    script: { era: '2026', methods: { 'tools/call': () => undefined } },
  });
  const { taskId } = (await call()).result as Wire;
  await eventually(() => expect(upstream.of('tools/call')).toHaveLength(1));
  await app.close();
  const again = await open();
  const ended = await until(taskId, 'completed', again);
  expect(ended).toMatchObject({ result: { isError: true, _meta: { 'dev.parley/code': 'unavailable' } } });
  expect(JSON.stringify(ended)).toContain('outcome is unknown');
  expect(upstream.of('tools/call')).toHaveLength(1);
});

test('a task of an upstream is followed on by the next process', async () => {
  const task = { current: { status: 'working' } as Record<string, unknown> };
  const { call, upstream, app, open, until } = await start({ script: taskServer(task) });
  const { taskId } = (await call()).result as Wire;
  await eventually(() => expect(upstream.of('tasks/get').length).toBeGreaterThan(0));
  await app.close();
  expect(upstream.of('tasks/cancel')).toHaveLength(0);
  task.current = { status: 'completed', result: said('done meanwhile') };
  const again = await open();
  expect(await until(taskId, 'completed', again)).toMatchObject({ result: said('done meanwhile') });
  expect(upstream.of('tools/call')).toHaveLength(1);
});
