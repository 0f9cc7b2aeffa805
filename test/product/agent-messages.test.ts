/** Messages between agents in the product: watched in both eras, kept through a kill, and run by a program that acts as the agent. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { detach } from '@parley/kit';
import { modern, modernHeaders } from '@parley/test-support/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { stdioClient } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { scratchFolder, spawnParley, startParley } from './parley.ts';

const SEND = 'corvid_send_message';
const INBOX = 'agent://inbox';

let folder: ReturnType<typeof scratchFolder>;
beforeAll(async () => {
  await ensureBuilt();
  folder = scratchFolder();
});
afterAll(() => folder[Symbol.dispose]());

interface Agent {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

async function api<T>(server: Server, key: string, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${server.url}/api/agents${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
  return ((await answer.json()) as { data: T }).data;
}

const create = (server: Server, name: string) => api<Agent>(server, server.key, 'POST', '', { name });

async function clientOf(server: Server, { key }: Agent, mode: 'auto' | 'legacy' = 'auto') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.mcp}/agent`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

/** The URIs that a 2026-07-28 stream hears of. */
async function listen(server: Server, { key }: Agent): Promise<{ heard: string[]; close(): void }> {
  const message = modern('subscriptions/listen', { notifications: { resourceSubscriptions: [INBOX] } });
  const stop = new AbortController();
  const answer = await fetch(`${server.mcp}/agent`, {
    method: 'POST',
    signal: stop.signal,
    headers: {
      ...modernHeaders(message),
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
    },
    body: JSON.stringify(message),
  });
  const heard: string[] = [];
  const opened = Promise.withResolvers<void>();
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('acknowledged')) opened.resolve();
      heard.length = 0;
      heard.push(...[...text.matchAll(/resources\/updated.*?"uri":"([^"]+)"/g)].map(([, uri = '']) => uri));
    }
  };
  detach(read(), () => undefined); // ended by the test
  await opened.promise;
  return { heard, close: () => stop.abort() };
}

async function messagesIn(client: Client): Promise<{ id: string; thread: string; text: string }[]> {
  const { contents } = await client.readResource({ uri: INBOX });
  const [content] = contents;
  return JSON.parse(content !== undefined && 'text' in content ? content.text : '').messages;
}

const PROGRAM = `
  let prompt = '';
  process.stdin.on('data', (text) => { prompt += text; });
  process.stdin.on('end', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'corvid_list_agents', arguments: {}, _meta };
    const answer = await fetch(process.env.PARLEY_MCP_URL, {
      method: 'POST',
      headers: {
        authorization: 'Bearer ' + process.env.PARLEY_KEY,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'corvid_list_agents',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const { result } = await answer.json();
    console.log(prompt + ' ' + result.structuredContent.agents.map(({ name }) => name).sort().join(', '));
  });
`;

test('check 33: watchers of both eras answer a waiting sender, a kill loses nothing, and a program acts as the agent', async () => {
  const data = join(folder.path, 'data');
  const first = await startParley(data);
  const [ada, bob, eve] = await Promise.all(['Ada', 'Bob', 'Eve'].map((name) => create(first, name)));
  if (ada === undefined || bob === undefined || eve === undefined) throw new Error('There are no agents.');
  const asAda = await clientOf(first, ada);
  const ask = (to_agent: string, text: string) =>
    asAda.callTool({ name: SEND, arguments: { to_agent, message: text } });

  const reachOf = async (name: string) => {
    const { structuredContent } = await asAda.callTool({ name: 'corvid_list_agents', arguments: {} });
    const { agents } = structuredContent as { agents: { name: string; reachable: string }[] };
    return agents.find((agent) => agent.name === name)?.reachable;
  };

  // A 2025 client watches and answers with the tool.
  const asBob = await clientOf(first, bob, 'legacy');
  const heard: string[] = [];
  asBob.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri);
  });
  await asBob.subscribeResource({ uri: INBOX });
  const stranger = await listen(first, ada);
  const toBob = ask('bob', 'Who is there?');
  await expect.poll(() => heard).toContain(INBOX);
  const [question] = await messagesIn(asBob);
  expect(question).toMatchObject({ text: 'Who is there?' });
  await asBob.callTool({
    name: SEND,
    arguments: { to_agent: 'Ada', message: 'Bob is.', thread: question?.thread },
  });
  expect((await toBob).structuredContent).toMatchObject({ status: 'replied', reply: 'Bob is.' });
  await asBob.close();
  await expect.poll(() => reachOf('Bob')).toBe('inbox');

  // A 2026 client watches and answers over REST.
  const watcher = await listen(first, eve);
  const toEve = ask(eve.id, 'And you?');
  await expect.poll(() => watcher.heard).toContain(INBOX);
  const { messages } = await api<{ messages: { id: string }[] }>(first, eve.key, 'GET', `/${eve.id}/inbox`);
  await api(first, eve.key, 'POST', `/${eve.id}/inbox/${messages[0]?.id}/reply`, { text: 'Eve too.' });
  expect((await toEve).structuredContent).toMatchObject({ status: 'replied', reply: 'Eve too.' });
  // Of the inboxes of others nobody hears.
  expect(stranger.heard.filter((uri) => uri.startsWith(`${INBOX}/`))).toEqual([]);
  watcher.close();
  stranger.close();

  // Nobody watches any more, and so nobody is waited for.
  const later = await ask('Bob', 'Later?');
  expect(later.structuredContent).toMatchObject({ status: 'queued' });
  const left = await api<{ messages: { text: string }[] }>(first, bob.key, 'GET', `/${bob.id}/inbox`);
  expect(left.messages).toMatchObject([{ text: 'Later?' }]);
  await first.stop('SIGKILL');
  await asAda.close().catch(() => undefined); // its server is gone

  const command = JSON.stringify([process.execPath, '-e', PROGRAM]);
  await using second = await startParley(data, {
    args: ['--runner', 'command', '--runner-command', command],
  });
  expect(await api(second, bob.key, 'GET', `/${bob.id}/inbox`)).toEqual(left);
  const again = await clientOf(second, ada);
  const run = await again.callTool({
    name: SEND,
    arguments: { to_agent: 'Bob', message: 'Whom do you know?' },
  });
  expect(run.structuredContent).toMatchObject({ status: 'replied', reply: 'Whom do you know? Ada, Eve' });
  await again.close();

  // What comes later is done by the server, also when a client's own process has nobody who could.
  const program = spawnParley(['mcp', 'agent', '--agent', 'Bob', '--data', data]);
  const beside = stdioClient(program);
  const manage = async (input: object) =>
    (await beside.call('corvid_manage_schedule', { ...input })).result?.structuredContent;
  const schedule_actions = [{ type: 'custom', prompt: 'And now?' }];
  const made = await manage({ action: 'create', name: 'Daily', interval_minutes: 1440, schedule_actions });
  const schedule_id = made?.id;
  await manage({ action: 'run_now', schedule_id });
  await expect
    .poll(() => manage({ action: 'history', schedule_id }), { timeout: 20_000 })
    .toMatchObject({ executions: [{ status: 'completed', result: 'custom: And now? Ada, Eve\n' }] });
  program.child.stdin.end();
  expect((await program.ended).code).toBe(0);
});
