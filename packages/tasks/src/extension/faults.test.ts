/** What goes wrong around a task while nobody waits for it is reported; a client that has gone is no fault. */
import type { Exchange } from '@parley/kit';
import { defineTool, defineToolset, requestInfo } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { StatementError, StoreUnavailableError } from '@parley/store';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { startTasks } from '../../test/start-tasks.ts';
import { tasksToolset } from '../toolset.ts';

const LOST = new StoreUnavailableError('lost');
const UNSENT = new Error('The stream is closed.');
const DEADLINE = { timeout: 15_000, interval: 5 };

const work = defineTool({
  name: 'work',
  title: 'Work',
  description: 'Reports progress twice, and works for as long as it is told.',
  effect: 'run',
  input: z.object({ ms: z.number() }),
  output: z.object({ done: z.boolean() }),
  task: 'allowed',
  async run({ ms }, ctx) {
    await ctx.progress(1, 2);
    await ctx.sleep('work', ms);
    await ctx.progress(2, 2);
    return { done: true };
  },
});
const toolset = defineToolset({ name: 'lab', title: 'Lab', tools: [work] });

/** A call with a progress token whose notices cannot be sent. */
function withoutStream(signal = new AbortController().signal, fails = () => true): Exchange {
  return {
    info: requestInfo({ id: 1, era: 'modern', client: 'test' }),
    signal: () => signal,
    capabilities: {},
    progress: async () => {
      if (fails()) throw UNSENT;
    },
  };
}

test.each(['modern', 'legacy'] as const)(
  'a cancel of a %s client that fails is reported, and its task runs on',
  async (era) => {
    await using started = await startTasks(toolset, { era });
    const { client, tasks, faults } = started;
    const cancel = vi.spyOn(tasks, 'cancel').mockRejectedValue(LOST);
    const leaving = new AbortController();
    const enqueued = vi.spyOn(tasks, 'enqueue');
    const call = client.raw.callTool({ name: 'work', arguments: { ms: 300 } }, { signal: leaving.signal });
    await Promise.all([
      expect(call).rejects.toThrow(/abort/i),
      vi.waitFor(() => expect(enqueued).toHaveResolved(), DEADLINE).then(() => leaving.abort()),
    ]);
    await vi.waitFor(() => expect(faults).toEqual([LOST]), DEADLINE);
    expect(cancel).toHaveBeenCalledTimes(1);
    const owner = { organizationId: testCaller().organizationId, ownerId: testCaller().id };
    const [listed] = (await tasks.list(owner, { limit: 1 })).tasks;
    expect(listed?.status).not.toBe('cancelled');
  },
);

test('progress that cannot be sent is reported, and the call is answered all the same', async () => {
  await using started = await startTasks(toolset, { times: { inlineLimitWithProgressMs: 15_000 } });
  const answer = await started.client.engine.call(testCaller(), 'work', { ms: 1 }, withoutStream());
  expect(answer).toMatchObject({ structuredContent: { done: true } });
  expect(started.faults).not.toEqual([]);
  expect(new Set(started.faults)).toEqual(new Set([UNSENT]));
});

test('progress for a client that has gone is no fault', async () => {
  await using started = await startTasks(toolset, { times: { inlineLimitWithProgressMs: 15_000 } });
  const exchange = withoutStream(AbortSignal.abort());
  await started.client.engine.call(testCaller(), 'work', { ms: 1 }, exchange);
  expect(started.faults).toEqual([]);
});

test('progress that get_task cannot send is reported, and the wait goes on', async () => {
  await using started = await startTasks(tasksToolset);
  const { client, tasks, faults } = started;
  const { taskId } = await client.call('start_long_running_task', { steps: 1, delayMs: 100 });
  const watch = tasks.watch.bind(tasks);
  vi.spyOn(tasks, 'watch').mockImplementationOnce((id, listener) => {
    queueMicrotask(() => listener({ kind: 'progress', progress: { done: 0, total: 1, message: null } }));
    return watch(id, listener);
  });
  let sent = 0;
  const exchange = withoutStream(new AbortController().signal, () => (sent += 1) === 1);
  const answer = await client.engine.call(testCaller(), 'get_task', { taskId, waitMs: 5000 }, exchange);
  expect(answer).toMatchObject({ structuredContent: { taskId } });
  expect(faults).toEqual([UNSENT]);
});

test.each([
  ['is away', LOST],
  ['refuses', new StatementError(new Error('refused'), 'XX000')],
])('a task that was made is handed out although the database %s by then', async (_what, error) => {
  await using started = await startTasks(toolset, { times: { inlineLimitWithProgressMs: 15_000 } });
  const { client, tasks } = started;
  vi.spyOn(tasks, 'get').mockRejectedValue(error);
  const exchange = withoutStream(new AbortController().signal, () => false);
  const answer = await client.engine.call(testCaller(), 'work', { ms: 1 }, exchange);
  expect(answer).toMatchObject({ structuredContent: { taskId: expect.stringMatching(/^task_/) } });
});
