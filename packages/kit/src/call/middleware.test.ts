/** The hooks: what they see, and what they can stop. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ToolError } from './errors.ts';
import type { Middleware } from './middleware.ts';
import { defineResource } from '../define/resource.ts';
import { connect } from '../testing/connect.ts';
import { defineTool } from '../define/tool.ts';
import { defineToolset } from '../define/toolset.ts';

const runs: string[] = [];
const work = <const Name extends string>(name: Name) =>
  defineTool({
    name,
    title: name,
    description: name,
    effect: 'run',
    input: z.object({ n: z.number().default(1) }),
    output: z.object({ n: z.number() }),
    run({ n }) {
      runs.push(name);
      if (n < 0) throw new ToolError('conflict', 'Less than nothing.');
      return { n };
    },
  });
const page = defineResource({
  name: 'page',
  title: 'P',
  description: 'P',
  uri: 'x://page',
  read: () => ({ text: 'p' }),
});
const toolset = defineToolset({
  name: 'work',
  title: 'Work',
  tools: [work('one'), work('two')],
  resources: [page],
});

describe('middleware', () => {
  test('runs around a call in order and sees the parsed input', async () => {
    const seen: string[] = [];
    const layer = (name: string): Middleware => ({
      async call({ input }, next) {
        seen.push(`${name} in ${JSON.stringify(input)}`);
        const result = await next();
        seen.push(`${name} out`);
        return result;
      },
    });
    await using client = await connect(toolset, { middleware: [layer('outer'), layer('inner')] });
    await client.call('one', {});
    expect(seen).toEqual(['outer in {"n":1}', 'inner in {"n":1}', 'inner out', 'outer out']);
  });

  test('can refuse a call, which then never runs', async () => {
    runs.length = 0;
    const refuse: Middleware = {
      call: () => Promise.reject(new ToolError('rate_limited', 'Later.')),
    };
    await using client = await connect(toolset, { middleware: [refuse] });
    expect(await client.attempt('one', {})).toMatchObject({ ok: false, code: 'rate_limited' });
    expect(runs).toEqual([]);
  });

  test('stands before the tools that concern it, and before no other', async () => {
    const seen: string[] = [];
    const asked: string[] = [];
    const some: Middleware = {
      concerns(tool) {
        asked.push(tool.name);
        return tool.name === 'two';
      },
      call({ tool }, next) {
        seen.push(tool.name);
        return next();
      },
    };
    await using client = await connect(toolset, { middleware: [some] });
    for (const name of ['one', 'two', 'one', 'two'] as const) await client.call(name, {});
    expect(seen).toEqual(['two', 'two']);
    expect(asked).toEqual(['one', 'two']);
  });

  test('says what callers get for what was thrown, whichever of them knows better', async () => {
    const plain: Middleware = { failed: (error) => error };
    const kinder: Middleware = {
      failed: (error) => (error instanceof RangeError ? new ToolError('unavailable', 'Later.') : error),
    };
    const broken: Middleware = { call: () => Promise.reject(new RangeError('out of reach')) };
    await using client = await connect(toolset, { middleware: [plain, kinder, broken] });
    expect(await client.attempt('one', {})).toMatchObject({ ok: false, code: 'unavailable' });
    await using without = await connect(toolset, { middleware: [plain] });
    expect(await without.attempt('one', { n: -1 })).toMatchObject({ ok: false, code: 'conflict' });
  });

  test.each(['modern', 'legacy'] as const)(
    'what a list hook leaves out cannot be called (%s)',
    async (era) => {
      const hide: Middleware = { list: (tools) => tools.filter(({ name }) => name !== 'two') };
      await using client = await connect(toolset, { era, middleware: [hide] });
      expect(await client.toolNames()).toEqual(['one']);
      await expect(client.raw.callTool({ name: 'two', arguments: {} })).rejects.toMatchObject({
        message: expect.stringContaining('Unknown tool: two'),
      });
    },
  );

  const passOn: Middleware = { call: (_call, next) => next() };
  const GREEDY: Record<string, NonNullable<Middleware['call']>> = {
    'one after the other': async (_call, next) => {
      await next();
      return next();
    },
    'at once': async (_call, next) => (await Promise.all([next(), next()]))[0],
    'after a failure': (_call, next) => next().catch(() => next()),
  };

  test.each(
    Object.entries(GREEDY).flatMap(([how, call]) => [
      { how, where: 'around another', middleware: [{ call }, passOn] },
      { how, where: 'next to the tool', middleware: [passOn, { call }] },
    ]),
  )('cannot run a tool twice: $how, $where', async ({ how, middleware }) => {
    runs.length = 0;
    await using client = await connect(toolset, { middleware });
    const calling = client.raw.callTool({
      name: 'one',
      arguments: { n: how === 'after a failure' ? -1 : 1 },
    });
    await expect(calling).rejects.toMatchObject({ code: -32603 });
    expect(runs).toEqual(['one']);
  });

  test('cannot read a resource twice', async () => {
    let count = 0;
    const counted: Middleware = {
      read: (_read, next) => {
        count += 1;
        return next();
      },
    };
    const twice: Middleware = { read: async (_read, next) => [...(await next()), ...(await next())] };
    await using client = await connect(toolset, { middleware: [twice, counted] });
    await expect(client.raw.readResource({ uri: 'x://page' })).rejects.toMatchObject({ code: -32603 });
    expect(count).toBe(1);
  });

  test('runs around a read', async () => {
    const shout: Middleware = {
      read: async (_read, next) => (await next()).map(() => ({ text: 'P!' })),
    };
    await using client = await connect(toolset, { middleware: [shout] });
    expect(await client.raw.readResource({ uri: 'x://page' })).toMatchObject({ contents: [{ text: 'P!' }] });
  });
});
