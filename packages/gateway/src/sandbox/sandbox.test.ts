/** The sandbox against hostile code: every limit holds, nothing of the host is in reach, and others do not notice. */
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ToolError } from '@parley/kit';
import { afterAll, expect, test } from 'vitest';
import type { NestedCall, RunOptions } from './sandbox.ts';
import { createSandbox } from './sandbox.ts';

const sandbox = createSandbox();
afterAll(() => sandbox.close());

const echo: NestedCall = async (name, args) =>
  JSON.stringify({ value: { name, args: JSON.parse(args) as unknown } });

function run(code: string, options: Partial<RunOptions> = {}) {
  return sandbox.run(code, { organizationId: 'a', timeoutMs: 20_000, call: echo, ...options });
}

/** The body of a function, as the code that exports it. */
const body = (text: string) => `export default async (tools, args) => { ${text} }`;

const WORKS = [
  { code: 'export default () => 7', gives: 7 },
  {
    code: 'export default async function (tools) { return await tools.add({ a: 1 }) }',
    gives: { name: 'add', args: { a: 1 } },
  },
  { code: body('return tools["any-name"]()'), gives: { name: 'any-name', args: {} } },
  { code: body('return args.n + 1'), args: { n: 1 }, gives: 2 },
  {
    code: body('return [typeof args, args.text]'),
    args: { text: '`${1}`"\'\\' },
    gives: ['object', '`${1}`"\'\\'],
  },
  { code: body('await tools; return Object.keys(tools)'), gives: [] },
  {
    code: body('tools.x = 1; return 1').replace(
      'tools.x = 1;',
      'try { tools.x = 1 } catch { return "frozen" }',
    ),
    gives: 'frozen',
  },
  { code: 'const two = await Promise.resolve(2); export default () => two', gives: 2 },
  { code: body(''), gives: undefined },
];

test.each(WORKS)('works: $code', async ({ code, args, gives }) => {
  expect(await run(code, { args })).toEqual({
    ...(gives !== undefined && { returnValue: gives }),
    consoleLogs: [],
  });
});

const WRONG_SHAPE = [
  { code: 'export default 5', says: 'default export is a function', data: undefined },
  { code: 'const a = 1', says: 'default export is a function', data: undefined },
  {
    code: 'export default async () => {\n  const a = ;\n}',
    says: 'line 2, column 13',
    data: { line: 2, column: 13 },
  },
  { code: '('.repeat(50_000), says: 'SyntaxError', data: expect.objectContaining({ line: 1 }) },
  { code: 'import fs from "node:fs"; export default () => fs', says: 'cannot import', data: undefined },
  { code: 'x'.repeat(100_001), says: '100000 characters', data: undefined },
];

test.each(WRONG_SHAPE)('is refused for its shape: $says', async ({ code, says, data }) => {
  const refusal = { code: 'invalid', message: expect.stringContaining(says), data };
  await expect(run(code)).rejects.toMatchObject(refusal);
  await expect(sandbox.checkCode(code)).rejects.toMatchObject(refusal);
});

test('code of the right shape passes the check, and no tool is called by it', async () => {
  await sandbox.checkCode(body('for (;;);'));
  await expect(sandbox.checkCode('await tools.x(); export default () => 1')).rejects.toMatchObject({
    code: 'invalid',
  });
  await expect(sandbox.checkCode('for (;;); export default () => 1')).rejects.toMatchObject({
    message: expect.stringContaining('longer than its time'),
  });
});

const REACHES = [
  'typeof process',
  'typeof require',
  'typeof fetch',
  'typeof module',
  'typeof setTimeout',
  'typeof WebAssembly',
  'typeof SharedArrayBuffer',
  'typeof Atomics',
  'typeof globalThis.process',
  '(0, eval)("typeof process")',
  'new Function("return typeof process")()',
  '(await tools.constructor("x")).constructor.constructor("return typeof process")()',
  '(async () => {}).constructor("return typeof process")().then((x) => x)',
  'typeof console.log.constructor("return this")().process',
  'typeof Reflect.getPrototypeOf(tools.x)?.constructor("return this")().process',
  'Error.prepareStackTrace === undefined ? "undefined" : typeof Error.prepareStackTrace',
];

test.each(REACHES)('reaches nothing of the host: %s', async (expression) => {
  const { returnValue } = await run(body(`return await (${expression})`), {
    call: async () => JSON.stringify({ value: 'undefined' }),
  });
  expect(returnValue).toBe('undefined');
});

const FAILS = [
  {
    code: body('throw new TypeError("no")'),
    error: { code: 'thrown', message: expect.stringContaining('TypeError: no (line 1') },
  },
  { code: body('throw 5'), error: { code: 'thrown', message: '5' } },
  { code: body('throw { get message() { for (;;); } }'), timeoutMs: 300, error: { code: 'timeout' } },
  {
    code: body('return (await import("node:fs"))'),
    error: { code: 'thrown', message: expect.stringContaining('cannot import') },
  },
  { code: body('for (;;);'), timeoutMs: 300, error: { code: 'timeout' } },
  { code: body('try { for (;;); } finally { for (;;); }'), timeoutMs: 300, error: { code: 'timeout' } },
  { code: body('/(a+)+$/.test("a".repeat(60) + "!")'), timeoutMs: 300, error: { code: 'timeout' } },
  {
    code: body('const next = () => Promise.resolve().then(next); await next()'),
    timeoutMs: 300,
    error: { code: 'timeout' },
  },
  // Native code of the engine that no interrupt reaches; only the end of its thread does.
  { code: body('return new Array(1e9).join("x")'), timeoutMs: 300, error: { code: 'timeout' } },
  {
    code: body('await new Promise(() => {})'),
    error: { code: 'invalid', message: expect.stringContaining('nothing will settle') },
  },
  {
    code: body('const f = () => f() + 1; return f()'),
    error: { code: 'thrown', message: expect.stringContaining('stack overflow') },
  },
  {
    code: body('const all = []; for (;;) all.push(new Array(10000).fill(1))'),
    error: { code: 'out_of_memory' },
  },
  { code: body('return "x".repeat(1e9)'), error: { code: 'out_of_memory' } },
  { code: body('return new Uint8Array(2 ** 30).length'), error: { code: 'out_of_memory' } },
  {
    code: body('let s = "x"; for (;;) s += s'),
    error: { message: expect.stringMatching(/too long|memory/) },
  },
  { code: body('return "x".repeat(256 * 1024)'), error: { code: 'too_large' } },
  { code: body('return "\u20ac".repeat(100 * 1024)'), error: { code: 'too_large' } },
  { code: body('return 10n'), error: { code: 'invalid', message: expect.stringContaining('JSON') } },
  {
    code: body('const a = {}; a.a = a; return a'),
    error: { code: 'invalid', message: expect.stringContaining('JSON') },
  },
  {
    code: body(
      'JSON.stringify = () => "7"; Promise.prototype.then = null; String.prototype.slice = null; throw new Error("still")',
    ),
    error: { message: expect.stringContaining('still') },
  },
];

test.each(FAILS)('ends in its limit: $code', async ({ code, timeoutMs = 20_000, error }) => {
  expect((await run(code, { timeoutMs })).error).toMatchObject(error);
});

test('a run leaves nothing behind for the next one', async () => {
  await run(body('globalThis.left = 1; Array.prototype.left = 1; Object.prototype.left = 1'));
  expect(await run(body('return [typeof left, typeof [].left, typeof ({}).left]'))).toMatchObject({
    returnValue: ['undefined', 'undefined', 'undefined'],
  });
});

test('the console is kept in order, and cut at its limits, also when the run is ended', async () => {
  const { consoleLogs } = await run(
    body('console.log("a", { b: 1 }, undefined); console.warn("w"); console.error(new Error("e").message)'),
  );
  expect(consoleLogs).toEqual([
    { type: 'log', content: 'a {"b":1} undefined' },
    { type: 'warn', content: 'w' },
    { type: 'error', content: 'e' },
  ]);
  const many = await run(body('for (let i = 0; i < 1e9; i += 1) console.log(i)'), { timeoutMs: 400 });
  expect(many.error).toMatchObject({ code: 'timeout' });
  expect(many.consoleLogs).toHaveLength(201);
  expect(many.consoleLogs.at(-1)).toEqual({ type: 'warn', content: '[console output was cut]' });
  const wide = await run(body('for (let i = 0; i < 100; i += 1) console.log("x".repeat(1e6))'));
  expect(wide.consoleLogs.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(
    64 * 1024 + 100,
  );
});

test('a run makes 100 calls, 8 at a time, and is told when it wants more', async () => {
  let running = 0;
  let most = 0;
  const { promise: full, resolve: fill } = Promise.withResolvers<void>();
  const call: NestedCall = async (name, args) => {
    running += 1;
    most = Math.max(most, running);
    // None ends before as many run as may; however fast one is, the next could not come in time otherwise.
    if (running === 8) fill();
    await full;
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return echo(name, args, new AbortController().signal);
  };
  const code = body(`
    const ends = await Promise.allSettled(Array.from({ length: 200 }, (_, i) => tools.add({ i })));
    return [ends.filter(({ status }) => status === 'fulfilled').length, ends.at(-1).reason.code]`);
  expect(await run(code, { call })).toMatchObject({ returnValue: [100, 'rate_limited'] });
  expect(most).toBe(8);
});

test('a failed call is an error in the terms of the code', async () => {
  const call: NestedCall = async () =>
    JSON.stringify({ error: { code: 'conflict', message: 'It is taken.' } });
  expect(
    await run(body('try { await tools.x() } catch (e) { return [e instanceof Error, e.code, e.message] }'), {
      call,
    }),
  ).toMatchObject({
    returnValue: [true, 'conflict', 'It is taken.'],
  });
  expect((await run(body('await tools.x()'), { call })).error).toMatchObject({
    code: 'conflict',
    message: 'It is taken.',
  });
  expect((await run(body('await tools.x("y".repeat(2e6))'), { call })).error).toMatchObject({
    code: 'too_large',
  });
});

test('the end of a run cancels the calls that it has under way, at its deadline too', async () => {
  const signals: AbortSignal[] = [];
  const call: NestedCall = (_name, _args, signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  };
  expect((await run(body('await tools.slow()'), { call, timeoutMs: 300 })).error).toMatchObject({
    code: 'timeout',
  });
  // Nobody waits for a call that the code let go of.
  expect(await run(body('tools.slow(); return 1'), { call, timeoutMs: 600_000 })).toMatchObject({
    returnValue: 1,
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('whoever cancels a run ends it at once, with its calls', async () => {
  const cancelling = new AbortController();
  let seen: AbortSignal | undefined;
  const call: NestedCall = (_name, _args, signal) => {
    seen = signal;
    cancelling.abort(new Error('gone'));
    return new Promise(() => undefined);
  };
  await expect(run(body('tools.x(); for (;;);'), { call, signal: cancelling.signal })).rejects.toThrow(
    'gone',
  );
  expect(seen?.aborted).toBe(true);
  await expect(run(body('return 1'), { signal: cancelling.signal })).rejects.toThrow('gone');
});

test('runs of others go on beside endless ones, and the event loop too', async () => {
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 10);
  const endless = [1, 2, 3].map(() => run(body('for (;;);'), { timeoutMs: 1000 }));
  expect(await run(body('return 1'), { organizationId: 'b' })).toMatchObject({ returnValue: 1 });
  const outcomes = await Promise.all(endless);
  clearInterval(ticking);
  expect(outcomes.map(({ error }) => error?.code)).toEqual(['timeout', 'timeout', 'timeout']);
  expect(turns).toBeGreaterThan(5);
});

test('an organization that takes all it can get leaves threads to the others, and to checks', async () => {
  const cancelling = new AbortController();
  const codes: unknown[] = [];
  const endless = Array.from({ length: 70 }, () =>
    run(body('for (;;);'), { timeoutMs: 60_000, signal: cancelling.signal }).catch((error: unknown) => {
      codes.push(error instanceof ToolError ? [error.code, error.message] : error);
    }),
  );
  expect(await run(body('return 1'), { organizationId: 'b' })).toMatchObject({ returnValue: 1 });
  await sandbox.checkCode(body('return 1'));
  // Two run and 64 wait; what is refused is told why.
  const refused = ['rate_limited', expect.stringContaining('of your organization')];
  expect(codes).toEqual([refused, refused, refused, refused]);
  cancelling.abort('stopped');
  await Promise.all(endless);
  expect(codes.slice(4)).toEqual(Array<string>(66).fill('stopped'));
});

test('waiting for a thread is not the time of a run, and has an end of its own', async () => {
  const held: (() => void)[] = [];
  const options = { organizationId: 'a', timeoutMs: 60_000 };
  const hold: NestedCall = () => new Promise((resolve) => held.push(() => resolve('{"value":1}')));
  const patient = createSandbox({ limits: { workers: 1 } });
  const holding = patient.run(body('return tools.hold()'), { ...options, call: hold });
  await expect.poll(() => held.length).toBe(1);
  const waiting = patient.run(body('return 2'), { ...options, timeoutMs: 500, call: echo });
  // It would be over by now, had its time begun.
  expect((await run(body('for (;;);'), { timeoutMs: 1000 })).error).toMatchObject({ code: 'timeout' });
  held[0]?.();
  expect([await holding, await waiting]).toMatchObject([{ returnValue: 1 }, { returnValue: 2 }]);
  await patient.close();
  const hasty = createSandbox({ limits: { workers: 1, waitMs: 5 } });
  const first = hasty.run(body('return tools.hold()'), { ...options, call: hold });
  await expect(hasty.run(body('return 2'), { ...options, call: echo })).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('was not run'),
  });
  await expect.poll(() => held.length).toBe(2);
  held[1]?.();
  expect(await first).toMatchObject({ returnValue: 1 });
  await hasty.close();
});

test('so many run, so many wait, the next is refused; who waits and is cancelled leaves', async () => {
  const small = createSandbox({ limits: { workers: 1, waiting: 2, runsPerWorker: 1 } });
  const cancelling = new AbortController();
  const options = { organizationId: 'a', timeoutMs: 20_000, call: echo };
  const release: (() => void)[] = [];
  const held = small.run(body('await tools.hold(); return 0'), {
    ...options,
    call: () => new Promise((resolve) => release.push(() => resolve('{"value":1}'))),
  });
  await expect.poll(() => release.length).toBe(1);
  const waiting = small.run(body('return 1'), options);
  const leaving = small.run(body('return 2'), { ...options, signal: cancelling.signal });
  await expect(small.run(body('return 3'), options)).rejects.toMatchObject({ code: 'rate_limited' });
  cancelling.abort(new Error('left'));
  await expect(leaving).rejects.toThrow('left');
  release[0]?.();
  expect(await held).toMatchObject({ returnValue: 0 });
  // Its thread was for one run; this one has another.
  expect(await waiting).toMatchObject({ returnValue: 1 });
  await small.close();
  await expect(small.run(body('return 4'), options)).rejects.toMatchObject({ code: 'unavailable' });
});

const THREADS = [
  {
    name: 'takes memory outside of the engine',
    does: 'const all = []; for (;;) all.push({ a: [1, 2, 3, {}] });',
    code: 'out_of_memory',
  },
  { name: 'breaks', does: 'throw new Error("broken");', code: 'sandbox_failed' },
  { name: 'never answers', does: 'for (;;);', code: 'timeout' },
];

test.each(THREADS)(
  'a thread that $name is ended from outside, and costs its own run only',
  async ({ does, code }) => {
    const folder = mkdtempSync(join(tmpdir(), 'code-thread-'));
    const file = join(folder, 'thread.mjs');
    writeFileSync(
      file,
      `import { parentPort } from 'node:worker_threads';
     parentPort.on('message', () => { ${does} });
     parentPort.postMessage({ type: 'ready' });`,
    );
    const other = createSandbox({ workerFile: pathToFileURL(file), limits: { threadHeapMb: 32 } });
    const timeoutMs = code === 'timeout' ? 100 : 60_000;
    expect((await other.run('x', { organizationId: 'a', timeoutMs, call: echo })).error).toMatchObject({
      code,
    });
    expect(await run(body('return 1'))).toMatchObject({ returnValue: 1 });
    await other.close();
    rmSync(folder, { recursive: true });
  },
);
