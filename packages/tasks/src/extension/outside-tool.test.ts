/** Tools of other servers as durable tasks: each round reaches the other server once, however often a run is entered. */
import type { OutsideCall } from '@parley/kit';
import {
  defineOutsideTool,
  defineTool,
  defineToolset,
  install,
  isInputRequired,
  toolsetSource,
} from '@parley/kit';
import { scriptedSource } from '@parley/kit/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { startTasks } from '../../test/start-tasks.ts';

const nothing = defineToolset({ name: 'nothing', title: 'Nothing', tools: [] });
const asking = {
  resultType: 'input_required' as const,
  inputRequests: {
    name: {
      method: 'elicitation/create' as const,
      params: { message: 'Who?', requestedSchema: { type: 'object' as const, properties: {} } },
    },
  },
  requestState: 'of the other server',
};

function slowSource() {
  const seen: Pick<OutsideCall, 'requestState' | 'inputResponses'>[] = [];
  const remote = defineOutsideTool({
    name: 'remote',
    title: 'Remote',
    description: 'Slow work of another server.',
    effect: 'run',
    task: 'allowed',
    inputSchema: { type: 'object' },
    call(_args, { requestState, inputResponses, taskId }) {
      seen.push({ requestState, inputResponses });
      expect(taskId).toMatch(/./);
      if (requestState === undefined) return asking;
      return { content: [{ type: 'text', text: JSON.stringify(inputResponses) }] };
    },
  });
  const local = defineTool({
    name: 'local',
    title: 'Local',
    description: 'Code that comes with the source.',
    effect: 'run',
    task: 'allowed',
    input: z.object({}),
    output: z.object({ done: z.boolean() }),
    run: async (_input, ctx) => ({ done: await ctx.step('work', () => true) }),
  });
  const source = scriptedSource();
  source.give('org_test', defineToolset({ name: 'conn_1', title: 'R', tools: [remote, local] }));
  return { source, seen };
}

describe.each(['modern', 'legacy'] as const)('over %s', (era) => {
  test('a task of another server asks its client and goes on with the answer', async () => {
    const { source, seen } = slowSource();
    const answers = { ask: () => ({ who: 'Ada' }) };
    await using started = await startTasks(nothing, { era, answers, sources: [source] });
    const answer = await started.client.raw.callTool({ name: 'remote', arguments: {} });
    const given = { name: { action: 'accept', content: { who: 'Ada' } } };
    expect(isInputRequired(answer)).toBe(false);
    expect(answer).toMatchObject({ content: [{ text: JSON.stringify(given) }] });
    expect(seen).toEqual([
      { requestState: undefined, inputResponses: undefined },
      { requestState: 'of the other server', inputResponses: given },
    ]);
    expect(started.faults).toEqual([]);
  });

  test('a tool of a source that may change runs as a task too', async () => {
    const { source } = slowSource();
    await using started = await startTasks(nothing, { era, sources: [source] });
    expect(await started.client.raw.callTool({ name: 'local', arguments: {} })).toMatchObject({
      structuredContent: { done: true },
    });
  });
});

test('two toolsets with one name for their tools each run their own', async () => {
  const work = (toolset: string) =>
    defineToolset({
      name: toolset,
      title: toolset,
      tools: [
        defineTool({
          name: 'work',
          title: 'Work',
          description: 'Works.',
          effect: 'run',
          task: 'allowed',
          input: z.object({}),
          output: z.object({ by: z.string() }),
          run: () => ({ by: toolset }),
        }),
      ],
    });
  const sources = ['one', 'two'].map((name) => toolsetSource(install(work(name))));
  await using started = await startTasks(nothing, { sources });
  const by = async (name: string) =>
    (await started.client.raw.callTool({ name, arguments: {} })).structuredContent;
  expect([await by('work'), await by('two_work')]).toEqual([{ by: 'one' }, { by: 'two' }]);
});
