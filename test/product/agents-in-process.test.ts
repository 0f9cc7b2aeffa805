/** A session in the process beside `/mcp/agent` of a whole server on the same database: the same lists, the same answers. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { StoreEngine } from '@parley/store';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { App } from '../../apps/server/src/index.ts';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { closeAgentStore, createCorvidMcpServer } from '../../packages/agent/src/index.ts';
import type { McpToolContext } from '../../packages/agent/src/index.ts';
import { AGENT_TOOLS } from '../../packages/agent/src/tools/sets.ts';
import { clientOf } from '../../packages/agent/test/session-client.ts';
import { refusal } from '../../packages/agent/test/table-agents.ts';
import { validInputs } from '../../packages/agent/test/valid-inputs.ts';

const ALL = AGENT_TOOLS.map(({ name }) => name);
const SWITCHED_OFF = new Set(['corvid_create_work_task', 'corvid_code_symbols', 'corvid_find_references']);
const PAIR = ['corvid_send_message', 'corvid_grant_credits'];

type Era = 'modern' | 'legacy';

/** A kind of session: as a key has it, and as a context has it. */
interface Situation {
  readonly situation: string;
  readonly tools: readonly string[] | null;
  readonly binding?: { readonly unattended?: boolean; readonly source?: 'schedule' | 'agent' };
  readonly context?: Partial<McpToolContext>;
  readonly bundle?: string;
  readonly count: number;
}

const SITUATIONS: readonly Situation[] = [
  { situation: 'no list', tools: null, count: 32 },
  { situation: 'all tools', tools: ALL, count: 34 },
  { situation: 'a list of two', tools: PAIR, count: 2 },
  { situation: 'an empty list', tools: [], count: 0 },
  { situation: 'a list and a bundle', tools: PAIR, bundle: 'preset-memory-manager', count: 6 },
  {
    situation: 'nobody watches',
    tools: null,
    binding: { unattended: true },
    context: { schedulerMode: true },
    count: 26,
  },
  {
    situation: 'a schedule',
    tools: PAIR,
    binding: { source: 'schedule' },
    context: { sessionSource: 'schedule' },
    count: 0,
  },
  {
    situation: 'another agent',
    tools: null,
    binding: { source: 'agent' },
    context: { sessionSource: 'agent' },
    count: 32,
  },
];

describe.each<StoreEngine>(['sqlite', 'postgres'])('check 57: on %s', (engine) => {
  let database: ScratchDatabase;
  let app: App;
  let url: string;
  let key: string;
  beforeAll(async () => {
    database = await scratchDatabase(engine);
    const { dataDir, databaseUrl } = database.options;
    const flags = ['--port', '0', '--log-level', 'silent', '--data', dataDir];
    const off = ['--work-tasks', 'off', '--code-index', 'off', '--remote-agents', 'off'];
    const where = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    app = await createApp({ config: loadConfig([...flags, ...off, ...where], { env: {} }).config });
    ({ url } = await app.listen());
    key = (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim();
  });
  afterAll(async () => {
    await closeAgentStore(app.host.store);
    await app.close();
    await database.remove();
  });

  let count = 0;
  const rest = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()).data;
  };
  const agent = async (tools: readonly string[] | null) => {
    const made = await rest('/api/agents', { name: `Agent ${(count += 1)}`, tools });
    return made as { id: string; key: string; account_id: string };
  };
  const overHttp = async (as: string, era: Era = 'modern') => {
    const client = new Client(
      { name: 'agent', version: '1.0.0' },
      { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
    );
    const requestInit = { headers: { authorization: `Bearer ${as}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp/agent`), { requestInit }));
    return client;
  };
  const inProcess = (agentId: string, context: Partial<McpToolContext> = {}, era: Era = 'modern') =>
    clientOf(createCorvidMcpServer({ agentId, store: app.host.store, ...context }), era);
  const listed = async (client: Client) =>
    (await client.listTools()).tools
      // A tool that may be a task says so where there are tasks, which is not in the process.
      .map(({ outputSchema: _output, ...tool }) => tool);

  // What decides is read by the same code from both, and no other test looks at so many over HTTP.
  const rows = engine === 'sqlite' ? SITUATIONS : SITUATIONS.slice(-2);
  test.each(rows)('the lists are the same: $situation', async (row) => {
    const { identity } = app.host;
    const { id } = await agent(row.tools);
    if (row.bundle !== undefined) await rest(`/api/agents/${id}/skills`, { bundle_id: row.bundle });
    const owner = (await identity.authenticate(key, 'key')) ?? expect.unreachable();
    const grants = { agent: ['*'] };
    const binding = { agentId: id, ...row.binding };
    const own = await identity.createKey(owner, { name: 'own', grants, expiresAt: null, agent: binding });
    // The situations take turns at the eras.
    const era = SITUATIONS.indexOf(row) % 2 === 0 ? 'modern' : 'legacy';
    const there = await overHttp(own.text, era);
    await using here = await inProcess(id, row.context, era);
    const tools = await listed(there);
    expect(tools).toHaveLength(row.count);
    expect(await listed(here.raw)).toEqual(tools);
    for (const name of [...PAIR, 'corvid_recall_memory', 'corvid_nope'])
      expect(await refusal(here.raw, name)).toBe(await refusal(there, name));
    await there.close();
  });

  test('the answers are the same, to good input and to bad', async () => {
    const [one, two, other] = [await agent(ALL), await agent(ALL), await agent(null)];
    const there = await overHttp(one.key);
    await using here = await inProcess(two.id);
    const { corvid_ask_owner: _waits, ...inputs } = validInputs({
      other: other.id,
      account: other.account_id,
    });
    // Both agents share the settings of their organization, which change once.
    const all = { ...inputs, corvid_credit_config: {} };
    for (const [name, args] of Object.entries(all).filter(([tool]) => !SWITCHED_OFF.has(tool))) {
      for (const sent of [args, { ...args, no_such_field: 1 }]) {
        const call = { name, arguments: { ...sent } };
        const [fromThere, fromHere] = [await there.callTool(call), await here.raw.callTool(call)];
        expect(plain(fromHere), name).toEqual(plain(fromThere));
      }
    }
    await there.close();
  });

  test('what one agent has is the same to look at from both sides', async () => {
    const { id, key: own } = await agent(ALL);
    const there = await overHttp(own);
    await using here = await inProcess(id);
    for (const side of [there, here.raw])
      await side.callTool({ name: 'corvid_save_memory', arguments: { key: 'colour', content: 'blue' } });
    for (const name of ['recall_memory', 'list_agents', 'check_credits', 'verify_agent_reputation']) {
      const call = { name: `corvid_${name}`, arguments: {} };
      const { structuredContent } = await there.callTool(call);
      expect((await here.raw.callTool(call)).structuredContent, name).toEqual(structuredContent);
    }
    const read = { uri: 'agent://prompt' };
    const { contents } = await there.readResource(read);
    expect((await here.raw.readResource(read)).contents).toEqual(contents);
    await there.close();
  });
});

/** A result without what is new in every answer: ids, times, hashes and signatures. */
function plain({ content, structuredContent, isError }: Awaited<ReturnType<Client['callTool']>>) {
  const text = JSON.stringify({ content, structuredContent, isError })
    .replaceAll(/[a-z]+_[\w-]{20,}/g, 'ID')
    .replaceAll(/Agent \d+/g, 'AGENT')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/[0-9a-f]{32,64}/g, 'HASH')
    .replaceAll(/"signature(\\?)":\\?"[^"\\]+/g, '"signature":"SIGNATURE')
    .replaceAll(/\\"available\\":\d+|"available":\d+|\\"total\\":\d+|"total":\d+/g, 'CREDITS');
  return text;
}
