/** Agents at `/mcp/agent` of a whole server: what real clients of both eras see, what is denied, and what is written of it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../apps/server/src/index.ts';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../../packages/agent/src/tools/sets.ts';
import { callTool } from './mcp-messages.ts';
import { scratchFolder } from './parley.ts';

const LIST = 'corvid_list_agents';
const ASK = 'corvid_ask_owner';
const folder = scratchFolder();
const apps: App[] = [];
const urls: string[] = [];
let key: string;

beforeAll(async () => {
  // The second is a replica of the first, which soon answers calls that wait.
  for (let at = 0; at < 2; at += 1) {
    const flags = ['--port', '0', '--log-level', 'silent', '--data', folder.path];
    const { config } = loadConfig(flags, { env: {} });
    const app = await createApp({ config, ...(at === 0 && { tasks: { times: { inlineLimitMs: 200 } } }) });
    apps.push(app);
    urls.push((await app.listen()).url);
  }
  key = (await readFile(join(folder.path, 'owner.key'), 'utf8')).trim();
});
afterAll(async () => {
  for (const app of apps) await app.close();
  folder[Symbol.dispose]();
});

const first = () => apps[0] ?? expect.unreachable();
const url = (at = 0) => urls[at] ?? expect.unreachable();

async function rest(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${url()}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return text === '' ? undefined : JSON.parse(text).data;
}

let count = 0;
/** A new agent, with its id and its key. */
const agent = (tools: readonly string[] | null) =>
  rest('POST', '/api/agents', { name: `Agent ${(count += 1)}`, tools }) as Promise<{
    id: string;
    key: string;
  }>;

type Era = 'modern' | 'legacy';

async function connect(
  as: string,
  era: Era,
  { at = 0, onChange }: { at?: number; onChange?: () => void } = {},
) {
  const client = new Client(
    { name: 'agent', version: '1.0.0' },
    {
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
      ...(onChange && { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onChange } } }),
    },
  );
  const requestInit = { headers: { authorization: `Bearer ${as}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url(at)}/mcp/agent`), { requestInit }));
  return client;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).toSorted();

/** What a call is refused with, without the name that it had. */
const refusal = (client: Client, name: string) =>
  client.callTool({ name, arguments: { no_such_field: 1 } }).then(
    () => 'passes',
    (error: { code?: number; message: string; data?: unknown }) =>
      JSON.stringify([error.code, error.message, error.data]).replaceAll(name, 'TOOL'),
  );

/** The denials of an agent in the audit log, newest last. */
async function denials(agentId: string | null) {
  await first().host.identity.audit.flush();
  const rows = await first()
    .host.store.db<{
      audit_log: {
        at: number;
        seq: number;
        organization_id: string;
        caller_id: string;
        action: string;
        target: string;
        changed: string;
      };
    }>()
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'call.denied')
    .orderBy('seq')
    .execute();
  return rows
    .map(({ changed, ...row }) => ({ ...row, ...(JSON.parse(changed) as { agent?: string | null }) }))
    .filter((row) => row.agent === agentId);
}

describe.each<Era>(['modern', 'legacy'])('a %s client', (era) => {
  test('has the tools of the agent whose key it has, and nobody else has any', async () => {
    const { key: ofAll } = await agent(null);
    const { key: ofOne } = await agent([LIST]);
    const all = await connect(ofAll, era);
    const one = await connect(ofOne, era);
    const owner = await connect(key, era);
    expect(await namesOf(all)).toEqual(DEFAULT_ALLOWED_TOOLS.toSorted());
    expect(await namesOf(one)).toEqual([LIST]);
    expect(await namesOf(owner)).toEqual([]);
    for (const client of [all, one, owner]) await client.close();
  });

  test('hears that the owner has not answered yet, and asks the same again for the answer', async () => {
    const { key: ofAda } = await agent([ASK]);
    const asked = { name: ASK, arguments: { question: `Which, ${era}?`, options: ['red', 'blue'] } };
    const hasty = await connect(ofAda, era);
    const { question_id: id } = await eventually(async () => {
      const { structuredContent } = await hasty.callTool(asked);
      expect(structuredContent).toMatchObject({ answered: false, timed_out: false });
      return structuredContent as { question_id: string };
    });
    const { questions } = await rest('GET', '/api/questions?status=open');
    expect(questions.map((question: { id: string }) => question.id)).toEqual([id]);
    await rest('POST', `/api/questions/${id}/answer`, { option_index: 2 });
    const elsewhere = await connect(ofAda, era, { at: 1 });
    expect((await elsewhere.callTool(asked)).structuredContent).toMatchObject({
      question_id: id,
      answer: 'blue',
    });
    for (const client of [hasty, elsewhere]) await client.close();
  });

  test('check 24: is denied what is not listed as what does not exist, and the audit log says why', async () => {
    const empty = await agent([]);
    const client = await connect(empty.key, era);
    const unknown = await refusal(client, 'corvid_nope');
    for (const { name } of AGENT_TOOLS) expect(await refusal(client, name)).toBe(unknown);
    const written = await denials(empty.id);
    expect(written.map(({ target, ...row }) => [target, (row as { reason?: string }).reason])).toEqual([
      ['corvid_nope', 'not_registered'],
      ...AGENT_TOOLS.map(({ name }) => [name, 'not_in_set']),
    ]);
    // All of them are calls of one session.
    expect(new Set(written.map((row) => (row as { session?: unknown }).session)).size).toBe(1);
    expect(written[0]).toMatchObject({
      session: expect.stringMatching(/^ses_/),
      caller_id: expect.stringMatching(/^key_/),
      at: expect.any(Number),
    });
    await client.close();
    const owner = await connect(key, era);
    expect(await refusal(owner, LIST)).toBe(unknown);
    expect((await denials(null)).at(-1)).toMatchObject({ target: LIST, reason: 'agent_missing' });
    await owner.close();
  });

  test('check 25: loses a tool in an open session, also at another replica, and is told', async () => {
    const { id, key: own } = await agent([]);
    let told = 0;
    const here = await connect(own, era, { onChange: () => (told += 1) });
    const there = await connect(own, era, { at: 1 });
    expect(await namesOf(here)).toEqual([]);
    const bundle = await rest('POST', '/api/skill-bundles', { name: `Lists ${id}`, tools: [LIST] });
    await rest('POST', `/api/agents/${id}/skills`, { bundle_id: bundle.id });
    expect(await namesOf(here)).toEqual([LIST]);
    await expect.poll(() => namesOf(there)).toEqual([LIST]);
    await expect.poll(() => told).toBeGreaterThan(0);
    const before = told;
    await rest('PUT', `/api/skill-bundles/${bundle.id}`, { tools: [] });
    expect(await refusal(here, LIST)).toContain('nknown tool');
    await expect.poll(() => refusal(there, LIST)).toContain('nknown tool');
    await expect.poll(() => told).toBeGreaterThan(before);
    await here.close();
    await there.close();
  });
});

test('parley_explain takes the name of an agent, and says which list, bundle or set decides', async () => {
  const { id } = await agent([]);
  const named = `Agent ${count}`;
  const explain = async (caller: string, tool = LIST) => {
    const { body } = await callTool({ mcp: `${url()}/mcp`, key }, 'parley_explain', { caller, tool });
    return body.result?.structuredContent;
  };
  expect(await explain(named)).toMatchObject({
    caller: { id, name: named },
    visible: false,
    reason: 'not_in_set',
    explanation: expect.stringContaining("The agent's own list leaves it out"),
  });
  await rest('POST', `/api/agents/${id}/skills`, { bundle_id: 'preset-communicator' });
  expect(await explain(id)).toMatchObject({
    visible: true,
    explanation: expect.stringContaining('The bundle "Communicator" of the agent gives it.'),
  });
  expect(await explain(named, 'get_pending')).toMatchObject({ visible: false, reason: 'no_grant' });
});
