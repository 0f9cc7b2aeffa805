/** The program behind `mcpProgram`: one line, one message. Its tools are named in `tools`. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { ProgramScript } from './mcp-program.ts';

type Fields = Record<string, unknown>;

interface Call {
  readonly id: number;
  readonly args: Fields;
  readonly meta: Fields;
}

const script = JSON.parse(process.argv[2] ?? '{}') as ProgramScript;
const isModern = script.era === '2026';
const say = (message: Fields) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answer = (id: unknown, result: Fields) =>
  say({ id, result: isModern ? { resultType: 'complete', ...result } : result });
const refuse = (id: unknown, code: number, message: string) => say({ id, error: { code, message } });
const text = (id: unknown, value: unknown) =>
  answer(id, { content: [{ type: 'text', text: JSON.stringify(value) }] });

const hung: number[] = [];
const cancelled: unknown[] = [];
const heard: string[] = [];
const subscribed = new Set<string>();
/** By the id that the question was sent under: the call that waits for it. */
const asked = new Map<string, number>();
let listens: number[] = [];
let level = 'none';
let child = 0;

/** What each tool does. */
const tools: Record<string, (call: Call) => unknown> = {
  echo: ({ id, args }) => text(id, args),
  facts: ({ id, meta }) =>
    text(id, {
      pid: process.pid,
      child,
      meta,
      level,
      env: Object.keys(process.env).toSorted(),
      args: process.argv.slice(3),
      cwd: process.cwd(),
    }),
  /** Never answers by itself. */
  hang: ({ id }) => hung.push(id),
  /** Answers all that hang, and tells what was cancelled. */
  finish: ({ id }) => {
    for (const one of hung.splice(0)) text(one, 'finished');
    text(id, { cancelled, heard });
  },
  die: () => process.kill(process.pid, 'SIGKILL'),
  leave: ({ id }) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`, () => process.exit(0)),
  fail: ({ id, args }) => refuse(id, -32001, String(args.words)),
  block: () => {
    for (;;);
  },
  progress: ({ id, meta }) => {
    for (const progress of [1, 2])
      say({
        method: 'notifications/progress',
        params: { progressToken: meta.progressToken, progress, total: 2, message: 'on' },
      });
    text(id, meta.progressToken === undefined ? 'no token' : 'token');
  },
  log: ({ id, args }) => {
    say({ method: 'notifications/message', params: { level: args.level, data: args.data, logger: 'me' } });
    text(id, level);
  },
  /** Asks, and answers with what it was told. */
  ask: ({ id, args }) => {
    const question = `q${id}`;
    asked.set(question, id);
    say({ id: question, method: args.method, ...(args.params !== undefined && { params: args.params }) });
  },
  takeBack: ({ id }) => {
    for (const requestId of asked.keys()) say({ method: 'notifications/cancelled', params: { requestId } });
    text(id, 'taken back');
  },
  /** Sends what is asked for, as it is. */
  raw: ({ args, id }) => process.stdout.write(String(args.line).replace('ID', String(id))),
  long: ({ id, args }) => {
    const pad = 'x'.repeat(Number(args.bytes));
    process.stdout.write(
      args.idLast === true
        ? `{"result":{"pad":"${pad}"},"jsonrpc":"2.0","id":${id}}\n`
        : `{"jsonrpc":"2.0","id":${id},"result":{"pad":"${pad}"}}\n`,
    );
  },
  /** Sends the beginning of a line, and never its end. */
  endless: ({ id }) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"pad":"`);
    const more = 'x'.repeat(1024 * 1024);
    const next = () => process.stdout.write(more, () => setImmediate(next));
    next();
  },
  change: ({ id, args }) => {
    const tell = (method: string, params: Fields = {}) => {
      if (!isModern) return say({ method, params });
      for (const listen of listens)
        say({ method, params: { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': listen } } });
      return true;
    };
    tell('notifications/tools/list_changed');
    if (subscribed.has(String(args.uri))) tell('notifications/resources/updated', { uri: args.uri });
    text(id, { subscribed: [...subscribed], listens: listens.length });
  },
  endListens: ({ id }) => {
    for (const listen of listens) answer(listen, {});
    listens = [];
    text(id, 'ended');
  },
};

const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
const serverInfo = { name: 'program', version: '1.0.0' };

function take({ id, method, params = {}, result, error }: Fields & { params?: Fields }): unknown {
  if (typeof method !== 'string') {
    const call = asked.get(String(id));
    asked.delete(String(id));
    return call === undefined ? heard.push(`late ${String(id)}`) : text(call, result ?? { error });
  }
  heard.push(method);
  if (!isModern && method === 'server/discover') {
    if (script.atUnknown === 'exit') process.exit(1);
    if (script.atUnknown === 'silence') return undefined;
  }
  switch (isModern && method === 'initialize' ? '' : method) {
    case 'server/discover':
      if (!isModern) return refuse(id, -32601, 'Method not found');
      return answer(id, {
        supportedVersions: ['2026-07-28'],
        capabilities,
        instructions: 'Be kind.',
        _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      });
    case 'initialize':
      return answer(id, {
        protocolVersion: '2025-06-18',
        capabilities,
        serverInfo,
        instructions: 'Be kind.',
      });
    case 'tools/list':
      return answer(id, {
        tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
      });
    case 'tools/call':
      return call(Number(id), params);
    case 'ping':
      return answer(id, {});
    case 'logging/setLevel':
      level = String(params.level);
      return answer(id, {});
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      if (String(params.uri).startsWith('no:')) return refuse(id, -32602, 'No such document');
      subscribed[method === 'resources/subscribe' ? 'add' : 'delete'](String(params.uri));
      return answer(id, {});
    case 'subscriptions/listen':
      return listen(Number(id), params.notifications as { resourceSubscriptions?: string[] });
    case 'notifications/cancelled':
      cancelled.push(params.requestId);
      listens = listens.filter((one) => one !== params.requestId);
      return undefined;
    default:
      return id === undefined ? undefined : refuse(id, -32601, 'Method not found');
  }
}

function listen(id: number, { resourceSubscriptions = [] }: { resourceSubscriptions?: string[] }): unknown {
  if (script.isDeaf === true) return refuse(id, -32601, 'Method not found');
  listens.push(id);
  subscribed.clear();
  for (const uri of resourceSubscriptions) subscribed.add(uri);
  return say({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: {}, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
  });
}

function call(id: number, params: Fields): unknown {
  const run = tools[String(params.name)];
  if (run === undefined) return refuse(id, -32602, 'Unknown tool');
  return run({ id, args: (params.arguments ?? {}) as Fields, meta: (params._meta ?? {}) as Fields });
}

if (script.stderr !== undefined) process.stderr.write(script.stderr);
if (script.isStubborn === true) {
  process.on('SIGTERM', () => undefined);
  const idle = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  child = spawn(process.execPath, ['-e', idle], { stdio: 'ignore' }).pid ?? 0;
  setInterval(() => undefined, 1000);
}
process.stdout.write('A line for people.\n');
createInterface({ input: process.stdin }).on('line', (line) => take(JSON.parse(line) as Fields));
