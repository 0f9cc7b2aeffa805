/** Callers who can follow no task: the same call once more is how they get the result. */
import { defineTool, defineToolset } from '@parley/kit';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { startTasks } from '../../test/start-tasks.ts';
import { ownerOf } from '../task.ts';

let done = Promise.withResolvers<string>();
let began = 0;

const Input = z.object({ cake: z.string().describe('Which'), note: z.string().optional().describe('Aside') });
const spec = {
  title: 'Bake',
  description: 'Bakes.',
  effect: 'run',
  task: 'allowed',
  input: Input,
  output: z.object({ ready: z.string(), isFollowed: z.boolean() }),
} as const;

const run = async (_input: unknown, ctx: { isFollowed: boolean }) => {
  began += 1;
  return { ready: await done.promise, isFollowed: ctx.isFollowed };
};

const toolset = defineToolset({
  name: 'bakery',
  title: 'Bakery',
  tools: [
    defineTool({ ...spec, name: 'bake', run }),
    defineTool({ ...spec, name: 'bake_again', comeBack: {}, run }),
    defineTool({
      ...spec,
      name: 'bake_same',
      comeBack: { same: ({ cake }) => cake, isStale: ({ ready }) => ready === 'burnt' },
      run,
    }),
    defineTool({ ...spec, name: 'bake_soon', taskOptions: { followedOnly: true }, run }),
  ],
});

const NARROW = { grants: { bakery: ['*'] } };
const FOLLOWER = { grants: { bakery: ['*'], tasks: ['get_task'] } };

async function bakery() {
  began = 0;
  done = Promise.withResolvers<string>();
  const tasks = await startTasks(toolset, { times: { inlineLimitMs: 200 } });
  const narrow = await tasks.another(NARROW);
  const follower = await tasks.another(FOLLOWER);
  return { narrow, follower, [Symbol.asyncDispose]: () => tasks[Symbol.asyncDispose](), tasks: tasks.tasks };
}

const text = (answer: { content: unknown[] }) => (answer.content[0] as { text: string }).text;

test('the same call waits on for the same work, and gives its result out once', async () => {
  await using at = await bakery();
  const bake = (cake: string) => at.narrow.raw.callTool({ name: 'bake_again', arguments: { cake } });
  const first = await bake('plum');
  expect(text(first)).toBe(
    'Not done yet. Call bake_again again with the same arguments to go on waiting; nothing is done twice.',
  );
  expect(await bake('plum')).toEqual({
    ...first,
    structuredContent: { ...(first.structuredContent as object), pollIntervalMs: expect.any(Number) },
  });
  await bake('apple');
  expect(began).toBe(2);
  done.resolve('warm');
  expect((await bake('plum')).structuredContent).toEqual({ ready: 'warm', isFollowed: false });
  expect(began).toBe(2);
  await bake('plum');
  expect(began).toBe(3);
});

test('what counts as the same, and what is of no use any more, is for the tool to say', async () => {
  await using at = await bakery();
  const bake = (note: string) =>
    at.narrow.raw.callTool({ name: 'bake_same', arguments: { cake: 'plum', note } });
  await bake('one');
  await bake('two');
  expect(began).toBe(1);
  done.resolve('burnt');
  const owner = ownerOf(at.narrow.records[0]?.caller as never);
  await expect
    .poll(async () => (await at.tasks.list(owner, { limit: 9 })).tasks.map(({ status }) => status))
    .toEqual(['completed']);
  done = Promise.withResolvers<string>();
  done.resolve('warm');
  expect((await bake('three')).structuredContent).toEqual({ ready: 'warm', isFollowed: false });
  expect(began).toBe(2);
});

test('who has get_task gets a handle, and each call is work of its own', async () => {
  await using at = await bakery();
  for (const count of [1, 2]) {
    const answer = await at.follower.raw.callTool({ name: 'bake_again', arguments: { cake: 'plum' } });
    expect(text(answer)).toContain('Call get_task with this taskId');
    expect(began).toBe(count);
  }
  done.resolve('warm');
});

test('a tool that says nothing of coming back gives a handle to everybody', async () => {
  await using at = await bakery();
  const answer = await at.narrow.raw.callTool({ name: 'bake', arguments: { cake: 'plum' } });
  expect(text(answer)).toContain('Call get_task with this taskId');
  done.resolve('warm');
});

test('a tool that ends soon is a task only for who can follow it', async () => {
  await using at = await bakery();
  const waiting = at.narrow.raw.callTool({ name: 'bake_soon', arguments: { cake: 'plum' } });
  const handle = await at.follower.raw.callTool({ name: 'bake_soon', arguments: { cake: 'plum' } });
  expect(text(handle)).toContain('get_task');
  done.resolve('warm');
  expect((await waiting).structuredContent).toEqual({ ready: 'warm', isFollowed: false });
});
