/** The helper tools: one's own tasks, their texts and their errors. */
import { expect, test } from 'vitest';
import { startTasks } from '../../test/start-tasks.ts';
import { tasksToolset } from '../toolset.ts';

const begin = (steps = 1000) => ({ steps, delayMs: 100 });
const nobodys = `task_${'A'.repeat(43)}`;

test.each(['modern', 'legacy'] as const)('a %s client cancels a task once', async (era) => {
  await using started = await startTasks(tasksToolset, { era });
  const { client } = started;
  const { taskId } = await client.call('start_long_running_task', begin());
  expect(await client.attempt('cancel_task', { taskId })).toEqual({
    ok: true,
    value: { taskId, status: 'cancelled' },
    text: `Task ${taskId} cancelled`,
  });
  let task = await client.call('get_task', { taskId });
  while (task.status === 'working') task = await client.call('get_task', { taskId, waitMs: 1000 });
  expect(task).toMatchObject({ status: 'cancelled', message: 'Cancelled by Test.' });
  for (const absent of ['result', 'error', 'openQuestions']) expect(task).not.toHaveProperty(absent);
  expect(await client.attempt('cancel_task', { taskId })).toMatchObject({
    ok: false,
    code: 'conflict',
    message: `Task ${taskId} already finished (cancelled)`,
  });
});

test('a finished task says how it ended when it is cancelled too late', async () => {
  await using started = await startTasks(tasksToolset);
  const { client } = started;
  const { taskId } = await client.call('start_long_running_task', begin(1));
  let task = await client.call('get_task', { taskId });
  while (task.status === 'working') task = await client.call('get_task', { taskId, waitMs: 1000 });
  expect(await client.attempt('cancel_task', { taskId })).toMatchObject({
    message: `Task ${taskId} already finished (completed)`,
  });
});

test.each(['get_task', 'cancel_task'] as const)(
  '%s answers a foreign id like an unknown one',
  async (name) => {
    await using started = await startTasks(tasksToolset);
    const { taskId } = await started.client.call('start_long_running_task', begin());
    const unknown = await started.client.attempt(name, { taskId: nobodys });
    expect(unknown).toEqual({
      ok: false,
      code: 'not_found',
      message: `Task not found: ${nobodys}`,
      data: undefined,
    });
    for (const as of [{ id: 'someone_else' }, { organizationId: 'org_other' }]) {
      const stranger = await started.another(as);
      const foreign = await stranger.attempt(name, { taskId });
      expect(foreign).toEqual({ ...unknown, message: `Task not found: ${taskId}` });
    }
    expect((await started.client.call('get_task', { taskId })).status).toBe('working');
  },
);

test('get_task waits for the next change and reports progress meanwhile', async () => {
  await using started = await startTasks(tasksToolset);
  const { client } = started;
  const { taskId } = await client.call('start_long_running_task', begin(4));
  const seen: number[] = [];
  let status: unknown = 'working';
  while (status === 'working') {
    const result = await client.raw.callTool(
      { name: 'get_task', arguments: { taskId, waitMs: 5000 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    ({ status } = result.structuredContent as { status: unknown });
  }
  expect(status).toBe('completed');
  expect(new Set(seen).size).toBeGreaterThan(1);
  expect(seen.at(-1)).toBe(4);
});

test('list_tasks pages through the own tasks, newest first, without a gap or a double', async () => {
  await using started = await startTasks(tasksToolset);
  const { client } = started;
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1)
    made.push((await client.call('start_long_running_task', begin())).taskId);
  const first = await client.call('list_tasks', { limit: 3 });
  expect(first.hasMore).toBe(true);
  const late = (await client.call('start_long_running_task', begin())).taskId;
  const second = await client.call('list_tasks', { limit: 3, cursor: first.nextCursor ?? '' });
  expect(second).toMatchObject({ hasMore: false, nextCursor: null });
  const listed = [...first.tasks, ...second.tasks].map(({ taskId }) => taskId);
  expect(listed.toSorted()).toEqual(made.toSorted());
  expect(listed).not.toContain(late);
  const times = [...first.tasks, ...second.tasks].map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().toReversed());
  const stranger = await started.another({ id: 'someone_else' });
  expect(await stranger.call('list_tasks', {})).toEqual({ tasks: [], nextCursor: null, hasMore: false });
});

test('list_tasks filters by status', async () => {
  await using started = await startTasks(tasksToolset);
  const { client } = started;
  const { taskId } = await client.call('start_long_running_task', begin());
  await client.call('start_long_running_task', begin());
  await client.call('cancel_task', { taskId });
  let task = await client.call('get_task', { taskId });
  while (task.status === 'working') task = await client.call('get_task', { taskId, waitMs: 1000 });
  expect((await client.call('list_tasks', { status: 'cancelled' })).tasks.map((one) => one.taskId)).toEqual([
    taskId,
  ]);
  expect((await client.call('list_tasks', { status: 'working' })).tasks).toHaveLength(1);
  expect((await client.call('list_tasks', { status: 'failed' })).tasks).toEqual([]);
});

test.each([
  ['get_task', { taskId: '' }, 'taskId: must have at least 1 characters (got "")'],
  ['get_task', { taskId: nobodys, waitMs: -1 }, 'waitMs: must be at least 0 (got -1)'],
  ['get_task', { taskId: nobodys, waitMs: 50_001 }, 'waitMs: must be at most 50000 (got 50001)'],
  ['list_tasks', { limit: 0 }, 'limit: must be at least 1 (got 0)'],
  ['list_tasks', { limit: 101 }, 'limit: must be at most 100 (got 101)'],
  ['list_tasks', { cursor: 'x' }, 'cursor: must be the nextCursor of the page before'],
] as const)('%s refuses %j', async (name, args, message) => {
  await using started = await startTasks(tasksToolset);
  expect(await started.client.attempt(name, args)).toMatchObject({ ok: false, code: 'invalid', message });
});
