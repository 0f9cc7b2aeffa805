/** Tasks with many questions for clients that stop asking after ten rounds: they get the result or a handle, never nothing. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StoreUnavailableError } from '@parley/store';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsIn, modern, sendModern } from '@parley/test-support/wire';
import type { Lab } from './tasks-lab.ts';
import { startLab, TASKS } from './tasks-lab.ts';

interface View {
  readonly taskId: string;
  readonly status: string;
  readonly message?: string;
  readonly pollIntervalMs?: number;
  readonly result?: { structuredContent: Record<string, unknown> };
}

describe.each(['sqlite', 'postgres'] as const)('many questions on %s', (engine) => {
  let database: ScratchDatabase;
  let lab: Lab;

  beforeAll(async () => {
    database = await scratchDatabase(engine);
    lab = await startLab(database.options);
  });

  afterAll(async () => {
    await lab.close();
    await database.remove();
  });

  async function connected(mode: 'auto' | 'legacy') {
    const client = new Client(
      { name: 'rounds', version: '1.0.0' },
      { versionNegotiation: { mode }, capabilities: { sampling: {}, elicitation: {} } },
    );
    let sampled = 0;
    client.setRequestHandler('sampling/createMessage', () => {
      sampled += 1;
      return { role: 'assistant', model: 'scripted', content: { type: 'text', text: `continue ${sampled}` } };
    });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
    const requestInit = { headers: { authorization: `Bearer ${lab.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(lab.mcp), { requestInit }));
    return { client, sampled: () => sampled, [Symbol.asyncDispose]: () => client.close() };
  }

  test('sampling with 25 steps ends in a handle that the 2026 client follows to the result', async () => {
    await using modernClient = await connected('auto');
    const { client } = modernClient;
    expect(client.getProtocolEra()).toBe('modern');
    const started = await client.callTool(
      { name: 'start_long_running_task', arguments: { steps: 25, delayMs: 100 } },
      { onprogress: () => undefined, timeout: 60_000 },
    );
    const handle = started.structuredContent as View;
    expect(handle).toMatchObject({
      taskId: expect.stringMatching(/^task_/),
      status: 'input_required',
      message: expect.stringContaining('get_task'),
      pollIntervalMs: 2000,
      steps: 25,
      currentStep: 10,
    });
    expect(started.content).toEqual([{ type: 'text', text: expect.stringContaining('get_task') }]);
    const { taskId } = handle;
    let task = handle;
    while (task.status === 'working' || task.status === 'input_required') {
      const shown = await client.callTool({ name: 'get_task', arguments: { taskId, waitMs: 5000 } });
      task = shown.structuredContent as View;
    }
    expect(task.status).toBe('completed');
    expect(task.result?.structuredContent).toMatchObject({ currentStep: 25, progress: 100 });
    expect(task.result?.structuredContent.samplingResponses).toHaveLength(24);
    expect(modernClient.sampled()).toBe(24);
  });

  test('ten steps, with nine questions, still end in the result, and a 2025 session is asked as often as it takes', async () => {
    for (const [mode, steps] of [
      ['auto', 10],
      ['legacy', 12],
    ] as const) {
      await using any = await connected(mode);
      const { structuredContent } = await any.client.callTool(
        { name: 'start_long_running_task', arguments: { steps, delayMs: 100 } },
        { onprogress: () => undefined, timeout: 60_000 },
      );
      expect(structuredContent).toMatchObject({ status: 'completed', currentStep: steps });
      expect(any.sampled()).toBe(steps - 1);
    }
  });

  test('every task tool that asks on and on ends in the plain handle, and get_task takes the question up', async () => {
    await using any = await connected('auto');
    const { structuredContent } = await any.client.callTool({
      name: 'interviews',
      arguments: { questions: 12 },
    });
    const handle = structuredContent as View;
    expect(Object.keys(handle).toSorted()).toEqual(['message', 'pollIntervalMs', 'status', 'taskId']);
    expect(handle).toMatchObject({ status: 'input_required', message: expect.stringContaining('get_task') });
    let task = handle;
    while (task.status !== 'completed') {
      const { taskId } = handle;
      const shown = await any.client.callTool({ name: 'get_task', arguments: { taskId, waitMs: 5000 } });
      task = shown.structuredContent as View;
      expect(['working', 'input_required', 'completed']).toContain(task.status);
    }
    expect(task.result?.structuredContent).toEqual({ answer: Array(12).fill('Ada').join(' ') });
  });

  test('a retry does not report the progress again that the round before it reported', async () => {
    const told: number[] = [];
    let state: Record<string, unknown> = {};
    for (let round = 0; round < 4; round += 1) {
      const params = { name: 'start_long_running_task', arguments: { steps: 4, delayMs: 100 }, ...state };
      const envelope = { capabilities: { sampling: {} }, meta: { progressToken: 'p' } };
      const answer = await sendModern(
        { port: lab.port, key: lab.key },
        modern('tools/call', params, envelope),
      );
      const notices = eventsIn(answer.text).map((text) => JSON.parse(text));
      told.push(
        ...notices.flatMap(({ method, params: notice }) => (method === undefined ? [] : [notice.progress])),
      );
      const { inputRequests = {}, requestState } = answer.json.result;
      const reply = { role: 'assistant', model: 'm', content: { type: 'text', text: 'continue' } };
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, reply]));
      state = { requestState, inputResponses };
    }
    expect(told).toEqual([1, 2, 3, 4]);
  });

  test('a task that was made is answered although the database cannot be read right after', async () => {
    await using fragile = await startLab(database.options);
    for (const [capabilities, expected] of [
      [TASKS, { resultType: 'task', taskId: expect.stringMatching(/^task_/), status: 'working' }],
      [{}, { structuredContent: { taskId: expect.stringMatching(/^task_/), status: 'working' } }],
    ] as const) {
      const { tasks } = fragile;
      const get = tasks.get.bind(tasks);
      tasks.get = () => Promise.reject(new StoreUnavailableError('busy'));
      const result = await fragile.call('rest', { ms: 2000 }, { capabilities });
      tasks.get = get;
      expect(result).toMatchObject(expected);
    }
  });
});
