/** Tools that run without a client, and outside tools that check their own arguments. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineOutsideTool } from '../define/outside-tool.ts';
import { defineTool, defineToolFor } from '../define/tool.ts';
import { defineToolset } from '../define/toolset.ts';
import { connect } from '../testing/connect.ts';
import { testCaller } from '../testing/callers.ts';
import { runTool } from './direct.ts';
import { ToolError } from './errors.ts';

const caller = testCaller();

const add = defineToolFor<{ readonly base: number }>()({
  name: 'add',
  title: 'Add',
  description: 'Adds to the base.',
  effect: 'read',
  input: z.object({ amount: z.int().max(9) }),
  output: z.object({ sum: z.int() }),
  async run({ amount }, ctx) {
    ctx.signal.throwIfAborted();
    return ctx.step('add', () => ({ sum: ctx.services.base + amount }));
  },
});

const ask = defineTool({
  name: 'ask',
  title: 'Ask',
  description: 'Asks the person.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ sum: z.int() }),
  async run(_input, ctx) {
    await ctx.ask('name', { message: 'Who?', schema: z.object({ name: z.string() }) });
    return { sum: 0.5 };
  },
});

test('a tool runs for the program: with its services, with input and answer checked', async () => {
  const services = { base: 40 };
  expect(await runTool(add, { amount: 2 }, { caller, services })).toEqual({ sum: 42 });
  const bad = [
    [{ amount: 10 }, 'amount: must be at most 9 (got 10)'],
    [{ amount: 1, other: 1 }, 'other: is not a known field (known: amount)'],
  ] as const;
  for (const [input, message] of bad)
    await expect(runTool(add, input, { caller, services })).rejects.toMatchObject({
      code: 'invalid',
      message,
    });
  const broken = { ...add, run: () => ({ sum: 0.5 }) };
  await expect(runTool(broken, { amount: 1 }, { caller, services })).rejects.toMatchObject({
    code: 'invalid_output',
  });
});

test('nobody is there to be asked, and a signal that fired ends it', async () => {
  await expect(runTool(ask, {}, { caller, services: {} })).rejects.toMatchObject({ code: 'declined' });
  const signal = AbortSignal.abort();
  await expect(runTool(add, { amount: 1 }, { caller, services: { base: 1 }, signal })).rejects.toThrow(
    'aborted',
  );
});

test('an outside tool that checks its arguments itself gets what its check returns', async () => {
  const seen: unknown[] = [];
  const own = defineOutsideTool({
    name: 'own',
    title: 'Own',
    description: 'Checks by itself.',
    effect: 'read',
    inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    async check(args) {
      if (JSON.stringify(args) === '{}') throw new ToolError('invalid', 'word: say one');
      return { checked: args };
    },
    call(args) {
      seen.push(args);
      return { content: [{ type: 'text', text: 'done' }] };
    },
  });
  const toolset = defineToolset({ name: 'own', title: 'Own', tools: [own] });
  // The typed client knows no tools of others.
  await using client = await connect(toolset as never);
  const { raw } = client;
  const refused = await raw.callTool({ name: 'own', arguments: {} });
  expect(refused).toMatchObject({ isError: true, content: [{ text: 'Error: word: say one' }] });
  await raw.callTool({ name: 'own', arguments: { word: 7 } });
  expect(seen).toEqual([{ checked: { word: 7 } }]);
});
