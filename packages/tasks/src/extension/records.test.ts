/** One call leaves one record, whether its task was waited for, handed out or come back for; it tells the real end. */
import type { CallRecord } from '@parley/kit';
import { defineOutsideTool, defineTool, defineToolset, ToolError } from '@parley/kit';
import { scriptedSource, testCaller } from '@parley/kit/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { startTasks } from '../../test/start-tasks.ts';
import { ownerOf } from '../task.ts';

let done = Promise.withResolvers<string>();
const spec = {
  title: 'Bake',
  description: 'Bakes.',
  effect: 'run',
  task: 'allowed',
  input: z.object({}),
  output: z.object({ ready: z.string() }),
} as const;

const toolset = defineToolset({
  name: 'bakery',
  title: 'Bakery',
  tools: [
    defineTool({ ...spec, name: 'bake', run: () => ({ ready: 'warm' }) }),
    defineTool({ ...spec, name: 'bake_long', run: async () => ({ ready: await done.promise }) }),
    defineTool({
      ...spec,
      name: 'bake_again',
      comeBack: {},
      run: async () => ({ ready: await done.promise }),
    }),
    defineTool({
      ...spec,
      name: 'bake_slowly',
      run: async (_input, ctx) => {
        await ctx.sleep('rise', 3_600_000);
        return { ready: 'warm' };
      },
    }),
    defineTool({
      ...spec,
      name: 'bake_never',
      run: () => {
        throw new ToolError('declined', 'No flour.');
      },
    }),
    defineTool({
      ...spec,
      name: 'bake_burnt',
      errors: { burnt: 'Too hot' },
      run: (_input, ctx) => {
        throw ctx.error('burnt', 'Too hot.');
      },
    }),
    defineTool({
      ...spec,
      name: 'bake_for',
      run: async (_input, ctx) => {
        const answer = await ctx.ask('who', {
          message: 'For whom?',
          schema: z.object({ who: z.string().describe('Name') }),
        });
        return { ready: answer.who };
      },
    }),
  ],
});

const foreign = defineOutsideTool({
  name: 'foreign',
  title: 'Foreign',
  description: 'Fails in words of its own.',
  effect: 'run',
  task: 'allowed',
  inputSchema: { type: 'object' },
  call: () => ({
    _meta: { 'dev.parley/code': 'whatever-it-likes' },
    content: [{ type: 'text', text: 'no' }],
    isError: true,
  }),
});

/** The records of every client: a run belongs to the engine that its kind was registered with. */
async function bakery(inlineLimitMs = 60_000) {
  done = Promise.withResolvers<string>();
  const source = scriptedSource();
  source.give('org_test', defineToolset({ name: 'conn_1', title: 'R', tools: [foreign] }));
  const started = await startTasks(toolset, {
    times: { inlineLimitMs },
    answers: { ask: () => ({ who: 'Ada' }) },
    sources: [source],
  });
  const narrow = await started.another({ grants: { bakery: ['*'] } });
  const { client, tasks } = started;
  const ends = () =>
    [client, narrow].flatMap(({ records }) =>
      records.map(({ outcome, code }: CallRecord) => [outcome, code]),
    );
  const allEnded = async () => {
    const owner = ownerOf(testCaller({}));
    await expect
      .poll(async () => (await tasks.list(owner, { limit: 9 })).tasks.map(({ finishedAt }) => finishedAt))
      .not.toContain(null);
  };
  return {
    client,
    narrow,
    tasks,
    ends,
    allEnded,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

test.each([
  ['bake', ['ok', null]],
  ['bake_never', ['error', 'declined']],
  ['bake_burnt', ['error', 'burnt']],
  ['foreign', ['error', 'tool_error']],
] as const)('a call of %s that waited ends as %j, once', async (name, end) => {
  await using at = await bakery();
  await at.client.raw.callTool({ name, arguments: {} });
  expect(at.ends()).toEqual([end]);
});

test('a call that is answered with a handle says so, and the end of its work is no other call', async () => {
  await using at = await bakery(20);
  await at.client.raw.callTool({ name: 'bake_long', arguments: {} });
  expect(at.ends()).toEqual([['ok', 'task']]);
  done.resolve('warm');
  await at.allEnded();
  expect(at.ends()).toEqual([['ok', 'task']]);
});

test('a call that is answered with a task of the extension says so', async () => {
  await using at = await bakery();
  const answer = await at.client.engine.call(
    testCaller({}),
    'bake_long',
    {},
    {
      info: { id: '1', era: 'modern', client: null },
      signal: () => new AbortController().signal,
      capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    },
  );
  expect(answer).toMatchObject({ resultType: 'task' });
  done.resolve('warm');
  await at.allEnded();
  expect(at.ends()).toEqual([['ok', 'task']]);
});

test('whoever comes back leaves one record for each call', async () => {
  await using at = await bakery(20);
  await at.narrow.raw.callTool({ name: 'bake_again', arguments: {} });
  done.resolve('warm');
  await at.allEnded();
  const answer = await at.narrow.raw.callTool({ name: 'bake_again', arguments: {} });
  expect(answer.structuredContent).toEqual({ ready: 'warm' });
  expect(at.ends()).toEqual([
    ['ok', 'task'],
    ['ok', null],
  ]);
});

test('a call whose task is cancelled under it was cancelled', async () => {
  await using at = await bakery();
  const call = at.client.raw.callTool({ name: 'bake_slowly', arguments: {} });
  const owner = ownerOf(testCaller({}));
  const listed = async () => (await at.tasks.list(owner, { limit: 9 })).tasks;
  await expect.poll(listed).toHaveLength(1);
  await at.tasks.cancel(owner, (await listed())[0]?.id ?? '', 'Enough.');
  expect(await call).toMatchObject({ isError: true });
  expect(at.ends()).toEqual([['cancelled', null]]);
});

test('each round of a call that asks leaves one record', async () => {
  await using at = await bakery();
  const answer = await at.client.raw.callTool({ name: 'bake_for', arguments: {} });
  expect(answer.structuredContent).toEqual({ ready: 'Ada' });
  expect(at.ends()).toEqual([
    ['ok', 'input_required'],
    ['ok', null],
  ]);
});
