/** The Claude Agent SDK with a session of an agent among its MCP servers: it lists and calls through its own bridge. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type * as Zod from 'zod';
import * as z3 from 'zod/v3';
import { closeAgentStore, createCorvidMcpServer } from '../../packages/agent/src/index.ts';
import type { AgentMcpServer, McpToolContext } from '../../packages/agent/src/index.ts';
import { onOneBed } from '../../packages/agent/test/agent-bed.ts';
import { query, tool } from './claude-agent-sdk.ts';
import { loadTool, scratchEnvironment } from './foreign-client.ts';

interface Listed {
  readonly result: {
    readonly tools: { name: string; inputSchema: object; annotations: object }[];
  };
}

interface Answer {
  readonly error?: { code: number; message: string };
  readonly result?: { isError?: boolean; content: { text: string }[]; structuredContent?: object };
}

const { z } = loadTool<{ z: typeof Zod }>('zod');

/** Runs one prompt through the SDK; the program below it does what the prompt says. */
async function through(parley: AgentMcpServer, calls: readonly [name: string, args: object][]) {
  const wanted = calls.map(([name, args]) => ({ server: 'parley', name, arguments: args }));
  const options = { mcpServers: { parley } };
  for await (const message of query({ prompt: JSON.stringify({ calls: wanted }), options }))
    if (message.type === 'result') return resultOf(message.result ?? '');
  throw new Error('The SDK ended without a result.');
}

/** What the program below the SDK has seen. */
function resultOf(text: string) {
  const { listed, answers } = JSON.parse(text) as { listed: Record<string, Listed>; answers: Answer[] };
  return { tools: listed['parley']?.result.tools ?? [], answers };
}

onOneBed('the Claude Agent SDK', (bed) => {
  afterAll(() => closeAgentStore(bed().store));
  const context = async (more: Partial<McpToolContext> = {}, tools: readonly string[] | null = null) => {
    const { acme, agent, store } = bed();
    return { agentId: (await agent(acme.owner.caller, { tools })).id, store, ...more };
  };

  test('lists the tools of a session and calls one', async () => {
    const { tools, answers } = await through(createCorvidMcpServer(await context()), [
      ['corvid_save_memory', { key: 'colour', content: 'blue' }],
      ['corvid_recall_memory', { key: 'colour' }],
      ['corvid_grant_credits', { wallet_address: 'x', amount: 1 }],
      ['corvid_save_memory', { key: 7 }],
    ]);
    expect(tools).toHaveLength(32);
    const [saved, recalled, hidden, wrong] = answers;
    expect(saved?.result?.structuredContent).toMatchObject({ key: 'colour', created: true });
    expect(recalled?.result?.structuredContent).toMatchObject({ memories: [{ content: 'blue' }] });
    expect(hidden?.error?.message).toContain('corvid_grant_credits');
    expect(hidden?.result).toBeUndefined();
    expect(wrong?.result).toMatchObject({ isError: true });
    expect(wrong?.result?.content[0]?.text).toMatch(/\bkey: /);
  });

  test('runs the program of the documentation', async () => {
    const page = await readFile(new URL('../../docs/agents-factory.md', import.meta.url), 'utf8');
    const code = /```ts\n(.*?)```/s.exec(page)?.[1] ?? expect.unreachable();
    const { agentId } = await context();
    const folder = new URL(`../artifacts/session-${agentId}/`, import.meta.url);
    await mkdir(folder, { recursive: true });
    const program = new URL('session.ts', folder);
    await writeFile(program, code);
    const call = { server: 'parley', name: 'corvid_save_memory', arguments: { key: 'a', content: 'b' } };
    const hooks = fileURLToPath(new URL('claude-agent-sdk-hooks.ts', import.meta.url));
    const args = ['--import', hooks, fileURLToPath(program), bed().dataDir, agentId];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...args, JSON.stringify({ calls: [call] })],
      { env: scratchEnvironment(fileURLToPath(folder)) },
    );
    await rm(folder, { recursive: true });
    const { tools, answers } = resultOf(stdout);
    expect(tools).toHaveLength(32);
    expect(answers[0]?.result?.structuredContent).toMatchObject({ key: 'a', created: true });
  });

  test('takes values of its own tool() as plugin tools, with fields of either Zod', async () => {
    const seen: unknown[] = [];
    const handler = async (args: unknown) => {
      seen.push(args);
      return { content: [{ type: 'text', text: JSON.stringify(args) }] };
    };
    const count = z.number().int().min(1).describe('How many');
    const shape = { name: z.string().min(2), count: count.default(1) };
    const shape3 = { name: z3.string().min(2).describe('Who'), count: z3.number().int().optional() };
    const plugins = [
      tool('greet', 'Greets somebody.', shape, handler),
      tool('greet3', 'Greets somebody.', shape3, handler, {
        annotations: { title: 'Greet', readOnlyHint: true, openWorldHint: false },
      }),
    ];
    const list = ['corvid_list_agents', 'greet', 'greet3'];
    const { tools, answers } = await through(createCorvidMcpServer(await context({}, list), plugins), [
      ['greet', { name: 'Ada' }],
      ['greet', { name: 'A' }],
      ['greet3', { name: 'Ada', count: 2 }],
      ['greet3', { name: 3 }],
      ['greet3', { name: 'Ada', other: 1 }],
    ]);
    expect(tools.map(({ name }) => name)).toEqual(list);
    const [, greet, greet3] = tools;
    expect(greet?.annotations).toEqual({
      title: 'greet',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    expect(greet3?.annotations).toMatchObject({ title: 'Greet', readOnlyHint: true, openWorldHint: false });
    expect(greet?.inputSchema).toMatchObject({
      properties: { count: { description: 'How many' } },
      required: ['name'],
    });
    expect(greet3?.inputSchema).toMatchObject({
      properties: { name: { type: 'string', description: 'Who' }, count: { type: 'integer' } },
      required: ['name'],
    });
    expect(seen).toEqual([
      { name: 'Ada', count: 1 },
      { name: 'Ada', count: 2 },
    ]);
    const faults = [answers[1], answers[3], answers[4]].map((answer) => answer?.result);
    expect(faults.map((fault) => fault?.isError)).toEqual([true, true, true]);
    expect(faults.map((fault) => fault?.content[0]?.text)).toEqual([
      expect.stringContaining('name'),
      expect.stringContaining('name'),
      expect.stringContaining('other'),
    ]);
  });
});
