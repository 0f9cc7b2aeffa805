/** The long-running task byte by byte: the caller's own token, and the same work as a task of the extension. */
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../../packages/gateway/test/session.ts';
import type { Answer } from '@parley/test-support/wire';
import { eventsIn, modernCall, sendModern } from '@parley/test-support/wire';
import type { Lab } from './tasks-lab.ts';
import { startLab, TASKS } from './tasks-lab.ts';

const TOOL = 'start_long_running_task';
const TEN = { steps: 10, notificationInterval: 3, delayMs: 100, enableSampling: false };

let database: ScratchDatabase;
let lab: Lab;

beforeAll(async () => {
  database = await scratchDatabase('sqlite');
  lab = await startLab(database.options);
});

afterAll(async () => {
  await lab.close();
  await database.remove();
});

const ERAS: [era: string, call: (meta: object) => Promise<Answer>][] = [
  ['2026-07-28', (meta) => sendModern(lab, modernCall(TOOL, TEN, { meta: { ...meta } }))],
  [
    '2025',
    async (meta) =>
      (await openSession(lab)).request('tools/call', { name: TOOL, arguments: TEN, _meta: meta }, 1),
  ],
];

test.each(ERAS)(
  '%s: progress goes to the token of the caller, and nothing comes after the result',
  async (_era, call) => {
    const { text } = await call({ progressToken: 'tok-7' });
    const messages = eventsIn(text).map((data) => JSON.parse(data));
    expect(messages.at(-1).result.structuredContent).toMatchObject({ status: 'completed', currentStep: 10 });
    expect(messages.slice(0, -1)).toEqual(
      [3, 6, 9, 10].map((step) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'tok-7', progress: step, total: 10, message: `Step ${step} of 10` },
      })),
    );
  },
);

test.each(ERAS)(
  '%s: without a token there is no progress, and the handle comes at once',
  async (_era, call) => {
    const { text, json } = await call({});
    expect(text).not.toContain('notifications/progress');
    expect(json.result.structuredContent).toMatchObject({ status: 'working', currentStep: 0 });
    await lab.call('cancel_task', { taskId: json.result.structuredContent.taskId }, {});
  },
);

test('a client that knows tasks gets one at once, reads its steps and guides it', async () => {
  const capabilities = { ...TASKS, sampling: {} };
  const args = { steps: 4, delayMs: 100, notificationInterval: 2 };
  const call = modernCall(TOOL, args, { capabilities, meta: { progressToken: 'unused' } });
  const created = await sendModern(lab, call);
  expect(created.text).not.toContain('notifications/progress');
  const { taskId, resultType } = created.json.result;
  expect(resultType).toBe('task');
  const asking = await lab.until(taskId, 'input_required');
  expect(asking.statusMessage).toBe('Step 2 of 4');
  const [[key, request]] = Object.entries(asking.inputRequests) as [[string, { method: string }]];
  expect(request.method).toBe('sampling/createMessage');
  const answer = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Continue' } };
  await lab.send('tasks/update', { taskId, inputResponses: { [key]: answer } }, { capabilities: TASKS });
  const { result, statusMessage } = await lab.until(taskId, 'completed');
  expect(statusMessage).toBe('Step 4 of 4');
  expect(result.structuredContent).toMatchObject({
    taskId,
    currentStep: 4,
    progress: 100,
    samplingResponses: ['Continue'],
  });
});

test('many tasks of one caller wake without meeting the rate of calls', async () => {
  const made = await Promise.all(
    Array.from({ length: 30 }, () => lab.call(TOOL, { steps: 2, delayMs: 100 }, { capabilities: TASKS })),
  );
  for (const { taskId } of made) {
    const { result } = await lab.until(taskId, 'completed');
    expect(result).not.toHaveProperty('isError');
  }
});
