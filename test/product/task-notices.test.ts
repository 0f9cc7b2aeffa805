/** Notices of tasks on listen streams: what `tasks/get` says, in order, from any replica and over stdio. */
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { scratchFolder, spawnParley, startParley } from './parley.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const DECLARED = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } } };
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

interface Notice {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    taskId?: string;
    status?: string;
    notifications?: { taskIds?: string[] };
    _meta?: Record<string, unknown>;
  };
  readonly error?: { code: number; data: unknown };
}

beforeAll(ensureBuilt);

async function startTask(server: Server, steps = 3): Promise<string> {
  const call = { name: 'start_long_running_task', arguments: { steps, delayMs: 100 } };
  const { body } = await post(server.mcp, server.key, message(1, 'tools/call', call, DECLARED));
  return (body.result as unknown as { taskId: string }).taskId;
}

async function* listen(server: Server, taskIds: string[], key = server.key): AsyncGenerator<Notice> {
  const body = message('listen-1', 'subscriptions/listen', { notifications: { taskIds } }, DECLARED);
  const response = await fetch(server.mcp, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify(body),
  });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data) as Notice;
    }
  }
}

async function untilCompleted(notices: AsyncGenerator<Notice>): Promise<Notice[]> {
  const seen: Notice[] = [];
  for await (const notice of notices) {
    seen.push(notice);
    if (notice.params?.status === 'completed') break;
  }
  return seen;
}

describe('a listen stream with task ids', () => {
  test('acknowledges own ids only, then sends each state with the subscription id, also from another replica', async () => {
    using folder = scratchFolder();
    await using first = await startParley(folder.path);
    await using second = await startParley(folder.path);
    const taskId = await startTask(first);
    const seen = await untilCompleted(listen(second, [taskId, 'task_unknown']));
    expect(seen[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] }, _meta: { [SUBSCRIPTION]: 'listen-1' } },
    });
    const notices = seen.slice(1);
    expect(notices.map(({ method }) => method)).toEqual(notices.map(() => 'notifications/tasks'));
    expect(
      notices.every(({ params }) => params?.taskId === taskId && params._meta?.[SUBSCRIPTION] === 'listen-1'),
    ).toBe(true);
    expect(notices.at(-1)?.params).toMatchObject({
      status: 'completed',
      result: { structuredContent: { currentStep: 3 } },
    });
  });

  test('needs the extension declared on this request', async () => {
    using folder = scratchFolder();
    await using server = await startParley(folder.path);
    const body = message(7, 'subscriptions/listen', { notifications: { taskIds: [] } });
    const { status, body: answer } = await post(server.mcp, server.key, body);
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
  });

  test('works over stdio on the same folder', async () => {
    using folder = scratchFolder();
    await using server = await startParley(folder.path);
    const stdio = spawnParley(['mcp', '--data', folder.path]);
    const lines = createInterface({ input: stdio.child.stdout });
    const taskId = await startTask(server);
    const body = message('s-1', 'subscriptions/listen', { notifications: { taskIds: [taskId] } }, DECLARED);
    stdio.child.stdin.write(`${JSON.stringify(body)}\n`);
    const seen: Notice[] = [];
    for await (const line of lines) {
      seen.push(JSON.parse(line) as Notice);
      if (seen.at(-1)?.params?.status === 'completed') break;
    }
    expect(seen[0]?.params?.notifications).toEqual({ taskIds: [taskId] });
    stdio.child.stdin.end();
    expect((await stdio.ended).code).toBe(0);
  });
});
