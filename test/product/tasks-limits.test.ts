/** The table of limits of `start_long_running_task`: each bound, each default, each bad value, on every surface. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import type { Server } from './parley.ts';
import { LAUNCHER, scratchFolder, startParley } from './parley.ts';

const TOOL = 'start_long_running_task';

const GOOD: Record<string, unknown>[] = [
  { steps: 1 },
  { steps: 1000 },
  { steps: 1, delayMs: 100 },
  { steps: 1, delayMs: 10_000 },
  { steps: 1, notificationInterval: 1 },
  { steps: 1, notificationInterval: 1_000_000 },
  { steps: 1, enableSampling: false },
];

const BAD: [args: Record<string, unknown> | undefined, message: string][] = [
  [undefined, `No arguments provided for tool: ${TOOL}`],
  [{}, 'steps: is required'],
  [{ steps: 0 }, 'steps: must be at least 1 (got 0)'],
  [{ steps: 1001 }, 'steps: must be at most 1000 (got 1001)'],
  [{ steps: 1.5 }, 'steps: must be an integer (got 1.5)'],
  [{ steps: '10' }, 'steps: must be a number (got "10")'],
  [{ steps: null }, 'steps: must be a number (got null)'],
  [{ steps: 1, delayMs: 99 }, 'delayMs: must be at least 100 (got 99)'],
  [{ steps: 1, delayMs: 10_001 }, 'delayMs: must be at most 10000 (got 10001)'],
  [{ steps: 1, notificationInterval: 0 }, 'notificationInterval: must be at least 1 (got 0)'],
  [{ steps: 1, enableSampling: 'yes' }, 'enableSampling: must be a boolean (got "yes")'],
  [
    { steps: 1, pace: 3 },
    'pace: is not a known field (known: steps, notificationInterval, delayMs, enableSampling)',
  ],
  [
    { steps: 0, delayMs: 99, notificationInterval: 0 },
    'steps: must be at least 1 (got 0); notificationInterval: must be at least 1 (got 0); delayMs: must be at least 100 (got 99)',
  ],
];

const folder = scratchFolder();
let server: Server;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path, { args: ['--rate', '10000', '--rate-burst', '10000'] });
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

function transportOf(way: 'HTTP' | 'stdio') {
  if (way === 'stdio') {
    const args = [LAUNCHER, 'mcp', 'tasks', '--data', folder.path];
    return new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' });
  }
  const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
  return new StreamableHTTPClientTransport(new URL(`${server.mcp}/tasks`), { requestInit });
}

describe.each([
  ['2026-07-28 over HTTP', 'auto', 'HTTP'],
  ['2025 over HTTP', 'legacy', 'HTTP'],
  ['2026-07-28 over stdio', 'auto', 'stdio'],
  ['2025 over stdio', 'legacy', 'stdio'],
] as const)('limits for %s', (_name, mode, way) => {
  let client: Client;

  beforeAll(async () => {
    client = new Client({ name: 'limits', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(transportOf(way));
    expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
  });

  afterAll(() => client.close());

  const call = (args: Record<string, unknown> | undefined, onprogress?: (at: { progress: number }) => void) =>
    client.callTool(
      { name: TOOL, ...(args !== undefined && { arguments: args }) },
      onprogress === undefined ? {} : { onprogress },
    );

  test.each(GOOD)('%j is taken', async (args) => {
    const { structuredContent, isError, content } = await call(args);
    expect(isError ?? false).toBe(false);
    const { taskId } = structuredContent as { taskId: string };
    expect(structuredContent).toMatchObject({ status: 'working', steps: args.steps, currentStep: 0 });
    expect(content).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(
          new RegExp(`^Started task ${taskId} with ${String(args.steps)} steps\\. .* get_task `),
        ),
      },
    ]);
    await client.callTool({ name: 'cancel_task', arguments: { taskId } });
  });

  test.each(BAD)('%j is refused with its text', async (args, message) => {
    const { isError, content, _meta } = await call(args);
    expect({ isError, content }).toEqual({
      isError: true,
      content: [{ type: 'text', text: `Error: ${message}` }],
    });
    expect(_meta).toMatchObject({ 'dev.parley/code': 'invalid' });
  });

  test('absent fields have their defaults', async () => {
    const reports: number[] = [];
    const { structuredContent } = await call({ steps: 2 }, ({ progress }) => reports.push(progress));
    const { startedAt, finishedAt, ...output } = structuredContent as Record<string, string>;
    // An interval of 1, a second between the steps, and sampling on, which this client cannot do.
    // The client forgets the last report when the result comes in the same piece.
    expect([[1], [1, 2]]).toContainEqual(reports);
    expect(output).toMatchObject({ currentStep: 2, progress: 100, samplingSkipped: true });
    expect(Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')).toBeGreaterThanOrEqual(1900);
  });

  test('an unknown tool is a protocol fault with the same sentence', async () => {
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: no_such_tool'),
    });
  });

  test('the helper tools take an absent argument list only when they need nothing', async () => {
    const listed = await client.callTool({ name: 'list_tasks' });
    expect(listed.isError ?? false).toBe(false);
    const refused = await client.callTool({ name: 'get_task' });
    expect(refused.content).toEqual([
      { type: 'text', text: 'Error: No arguments provided for tool: get_task' },
    ]);
  });
});
