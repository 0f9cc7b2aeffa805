/** `start_long_running_task` in both eras: progress, guidance by a model, and what it adds up to. */
import { describe, expect, test } from 'vitest';
import type { Answers } from '@parley/kit/testing';
import type { TestTasksOptions } from '../../test/start-tasks.ts';
import { startTasks } from '../../test/start-tasks.ts';
import { tasksToolset } from '../toolset.ts';

interface Outcome {
  readonly output: Record<string, unknown>;
  readonly text: string;
  readonly progress: { progress: number; total?: number | undefined; message?: string | undefined }[];
}

interface Sampled {
  readonly messages: { role: string; content: unknown }[];
  readonly systemPrompt?: string;
  readonly maxTokens: number;
  readonly temperature?: number;
}

type Reply = (asked: Sampled) => { role: 'assistant'; model: string; content: object };

const text = (words: string): ReturnType<Reply> => ({
  role: 'assistant',
  model: 'scripted',
  content: { type: 'text', text: words },
});

/** Runs the task to its end on an open call. */
async function run(
  args: Record<string, unknown>,
  options: TestTasksOptions & { reply?: Reply } = {},
): Promise<Outcome> {
  const { reply } = options;
  const answers: Answers = { ...options.answers, ...(reply && { sample: () => '' }) };
  await using started = await startTasks(tasksToolset, { ...options, answers });
  const { raw } = started.client;
  if (reply !== undefined) {
    raw.setRequestHandler('sampling/createMessage', (request) => reply(request.params as Sampled) as never);
  }
  const progress: Outcome['progress'] = [];
  const result = await raw.callTool(
    { name: 'start_long_running_task', arguments: { delayMs: 100, ...args } },
    { onprogress: (notice) => progress.push(notice) },
  );
  expect(started.faults).toEqual([]);
  const [content] = result.content;
  return {
    output: result.structuredContent as Record<string, unknown>,
    text: content?.type === 'text' ? content.text : '',
    progress,
  };
}

describe.each(['modern', 'legacy'] as const)('a long-running task for a %s client', (era) => {
  test('progress comes after every third step and once for the last', async () => {
    const { output, progress, text: said } = await run({ steps: 10, notificationInterval: 3 }, { era });
    expect(progress.map((notice) => [notice.progress, notice.total, notice.message])).toEqual(
      [3, 6, 9, 10].map((step) => [step, 10, `Step ${step} of 10`]),
    );
    expect(output).toEqual({
      taskId: expect.stringMatching(/^task_/),
      status: 'completed',
      steps: 10,
      currentStep: 10,
      progress: 100,
      samplingResponses: [],
      samplingSkipped: true,
      startedAt: expect.stringMatching(/Z$/),
      finishedAt: expect.stringMatching(/Z$/),
    });
    expect(said).toBe(`Task ${String(output.taskId)} completed 10 of 10 steps`);
  });

  test('an interval larger than the steps gives the last one only', async () => {
    const { progress } = await run({ steps: 2, notificationInterval: 50 }, { era });
    expect(progress.map((notice) => notice.progress)).toEqual([2]);
  });

  test('without a progress token the handle comes at once and the task goes on', async () => {
    await using started = await startTasks(tasksToolset, { era });
    const { client } = started;
    const handle = await client.attempt('start_long_running_task', { steps: 2, delayMs: 100 });
    if (!handle.ok) throw new Error(handle.message);
    expect(handle.value).toEqual({
      taskId: expect.stringMatching(/^task_/),
      status: 'working',
      steps: 2,
      currentStep: 0,
      progress: 0,
      samplingResponses: [],
      startedAt: expect.stringMatching(/Z$/),
      message: expect.stringContaining('get_task'),
      pollIntervalMs: 500,
    });
    const { taskId, message } = handle.value;
    expect(handle.text).toBe(`Started task ${taskId} with 2 steps. ${message}`);
    let task = await client.call('get_task', { taskId });
    while (task.status === 'working') task = await client.call('get_task', { taskId, waitMs: 1000 });
    expect(task).toMatchObject({ status: 'completed', tool: 'start_long_running_task' });
    expect(task.result).toMatchObject({ structuredContent: { currentStep: 2, progress: 100 } });
  });

  test('the model is asked after every due step but the last, in words it can act on', async () => {
    const asked: Sampled[] = [];
    const reply: Reply = (request) => {
      asked.push(request);
      return text('Continue, please');
    };
    const { output } = await run({ steps: 5, notificationInterval: 2 }, { era, reply });
    expect(output).toMatchObject({
      currentStep: 5,
      samplingResponses: ['Continue, please', 'Continue, please'],
    });
    expect(output).not.toHaveProperty('samplingSkipped');
    expect(output).not.toHaveProperty('stoppedEarly');
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ maxTokens: 100, temperature: 0.7, systemPrompt: expect.any(String) });
    expect(asked[0]?.messages).toHaveLength(1);
    const question = JSON.stringify(asked[0]?.messages);
    for (const part of ['"user"', 'Step 2 of 5', '40 %', 'continue', 'pause', 'stop'])
      expect(question).toContain(part);
  });

  test('stop ends it now, as completed', async () => {
    const { output, text: said } = await run({ steps: 5 }, { era, reply: () => text('STOP. Enough.') });
    expect(output).toMatchObject({
      status: 'completed',
      currentStep: 1,
      progress: 20,
      stoppedEarly: true,
      samplingResponses: ['STOP. Enough.'],
    });
    expect(said).toMatch(/completed 1 of 5 steps$/);
  });

  test.each([
    ['stop', { currentStep: 1, stoppedEarly: true }],
    ['continue', { currentStep: 2 }],
  ])('pause asks the person, who says %s', async (choice, expected) => {
    const asked: string[] = [];
    const ask = (message: string) => {
      asked.push(message);
      return { choice };
    };
    const { output } = await run({ steps: 2 }, { era, answers: { ask }, reply: () => text('Pause') });
    expect(output).toMatchObject({ ...expected, samplingResponses: ['Pause'] });
    expect(asked).toEqual(['The task is paused after step 1 of 2.']);
  });

  test('a person who does not answer a pause lets it go on', async () => {
    const answers = { ask: () => undefined };
    const { output } = await run({ steps: 2 }, { era, answers, reply: () => text('pause') });
    expect(output).toMatchObject({ currentStep: 2, progress: 100 });
  });

  test('content that is not text counts as continue and is not kept', async () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    const { output } = await run({ steps: 2 }, { era, reply: () => ({ ...text(''), content: image }) });
    expect(output).toMatchObject({ currentStep: 2, samplingResponses: [] });
  });

  test('answers are kept up to their limits', async () => {
    const long = 'x'.repeat(700);
    const { output } = await run({ steps: 2 }, { era, reply: () => text(long) });
    expect(output.samplingResponses).toEqual([long.slice(0, 500)]);
  });

  test('with sampling switched off nobody is asked and nothing is skipped', async () => {
    const reply: Reply = () => {
      throw new Error('nobody should ask');
    };
    const { output } = await run({ steps: 2, enableSampling: false }, { era, reply });
    expect(output).toMatchObject({ currentStep: 2, samplingResponses: [] });
    expect(output).not.toHaveProperty('samplingSkipped');
  });
});

test('a model that fails to answer is noted and stops nothing', async () => {
  const reply: Reply = () => {
    throw new Error('the model is away');
  };
  const { output } = await run({ steps: 3 }, { era: 'legacy', reply });
  expect(output).toMatchObject({ currentStep: 3, samplingResponses: ['(no answer)', '(no answer)'] });
  expect(JSON.stringify(output)).not.toContain('away');
});

test('a pause without a person sleeps and asks the model again, ten times at most', async () => {
  let aheadMs = 0;
  // Half a minute passes many times a second, so that no test waits for it.
  const clock = setInterval(() => (aheadMs += 31_000), 20);
  const limits = { leaseMs: 1e12, takeoverMs: 40 };
  let asked = 0;
  const reply: Reply = () => {
    asked += 1;
    return text('pause');
  };
  try {
    const now = () => Date.now() + aheadMs;
    const times = { inlineLimitWithProgressMs: 60_000 };
    const { output } = await run({ steps: 2 }, { era: 'legacy', reply, now, limits, times });
    expect(output).toMatchObject({ currentStep: 2, status: 'completed' });
    expect(output).not.toHaveProperty('stoppedEarly');
    expect(asked).toBe(11);
  } finally {
    clearInterval(clock);
  }
});
