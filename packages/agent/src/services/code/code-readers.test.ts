/** The processes that read code: quick over many files, held up or ended by none of them, and gone when nobody asks. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { processesAbout } from '../../../test/processes-about.ts';
import { writeFiles } from '../../../test/project-bed.ts';
import type { CodeLimits } from './code-process.ts';
import { CODE_LIMITS, CodeReaders } from './code-readers.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'parley-code-')));
const ends: (() => unknown)[] = [() => rmSync(top, { recursive: true, force: true })];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const { signal } = new AbortController();
const FOREVER = 3_600_000;

// Each `<` may begin the arguments of a type, which the parser tries anew for all that follow, and keeps what it tried.
// These 8 KB take some seconds and a gigabyte; nobody would wait for the longer one.
const HARD = `a${'<a'.repeat(4000)}`;
const ENDLESS = `a${'<a'.repeat(20_000)}`;
const GIGABYTE = 1024 ** 3;

function folder(name: string, files: Readonly<Record<string, string>> = {}): string {
  const root = join(top, name);
  mkdirSync(root);
  writeFiles(root, files);
  return root;
}

function readersOf(limits: Partial<CodeLimits> = {}, program?: URL): CodeReaders {
  const readers = new CodeReaders({ ...CODE_LIMITS, ...limits }, program);
  ends.push(() => readers.close());
  return readers;
}

const symbols = (readers: CodeReaders, root: string, own: AbortSignal = signal) =>
  readers.ask({ type: 'symbols', scope: { root, below: '', excluded: [] }, query: 'a', limit: 50 }, own);

const namesIn = async (readers: CodeReaders, root: string) =>
  (await symbols(readers, root)).symbols.map(({ name }) => name);

/** A program in the place of the one that reads, which does this with each question. */
function standIn(name: string, work: string): URL {
  const file = join(folder(`program-${name}`), 'program.mjs');
  writeFileSync(
    file,
    `import { writeSync } from 'node:fs';
    const tell = (message) => writeSync(1, JSON.stringify(message) + '\\n');
    const file = { path: 'hard.ts', mtimeMs: 7 };
    process.stdin.on('data', (bytes) => {
      for (const line of String(bytes).trim().split('\\n')) work(JSON.parse(line));
    });
    async function work({ scope: { root, givenUp } }) { ${work} }`,
  );
  return pathToFileURL(file);
}

const allowing = (root: string) => `--allow-fs-read=${root}\0`;

test('check 52: 10000 files are searched within 2 s', async () => {
  const root = folder('many');
  for (let part = 0; part < 100; part += 1) {
    mkdirSync(join(root, `f${part}`));
    for (let file = 0; file < 100; file += 1)
      writeFileSync(join(root, `f${part}`, `m${file}.txt`), `needle${part}\n`);
  }
  const readers = readersOf();
  const scope = { root, below: '', excluded: [] };
  const find = () => readers.ask({ type: 'references', scope, name: 'needle7', limit: 5 }, signal);
  expect((await find()).total).toBe(100);
  // The time of the processor, since others may be busy on this machine.
  const spent = () => processesAbout(allowing(root)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  const before = spent();
  expect((await find()).references).toHaveLength(5);
  expect(spent() - before).toBeLessThan(2000);
});

test('a file that the parser does not end with is left out until it changes, and the rest is answered', async () => {
  const root = folder('endless', { 'a.ts': 'const a1 = 1;', 'hard.ts': HARD, 'z.ts': 'const a2 = 1;' });
  const readers = readersOf({ fileMs: 1000, residentBytes: 2 * GIGABYTE });
  const { symbols: found, index } = await symbols(readers, root);
  expect(found.map(({ name }) => name)).toEqual(['a1', 'a2']);
  expect(index).toMatchObject({ files: 2, skipped: 1 });
  const [first] = processesAbout(allowing(root));
  expect(await namesIn(readers, root)).toEqual(['a1', 'a2']);
  expect(processesAbout(allowing(root))[0]?.pid).toBe(first?.pid);
  writeFileSync(join(root, 'hard.ts'), 'const a3 = 1;');
  await expect.poll(() => namesIn(readers, root)).toEqual(['a1', 'a3', 'a2']);
});

test('a file for which the parser takes too much memory is left out, and the rest is answered', async () => {
  const root = folder('large', { 'a.ts': 'const a1 = 1;', 'hard.ts': HARD, 'z.ts': 'const a2 = 1;' });
  const readers = readersOf({ fileMs: FOREVER, residentBytes: 0.3 * GIGABYTE });
  const { symbols: found, index } = await symbols(readers, root);
  expect(found.map(({ name }) => name)).toEqual(['a1', 'a2']);
  expect(index).toMatchObject({ files: 2, skipped: 1 });
});

test('a project that holds up its process holds up no other', async () => {
  const readers = readersOf({ fileMs: FOREVER, residentBytes: 2 * GIGABYTE });
  const hard = folder('held-hard', { 'hard.ts': ENDLESS });
  const held = symbols(readers, hard).catch((error: unknown) => error);
  const easy = folder('held-easy', { 'a.ts': 'const a1 = 1;' });
  expect(await namesIn(readers, easy)).toEqual(['a1']);
  // It ends also while it parses.
  await expect.poll(() => processesAbout(allowing(hard)).some(({ cpuMs }) => cpuMs > 1000)).toBe(true);
  await readers.close();
  expect(await held).toMatchObject({ code: 'unavailable' });
  await expect.poll(() => processesAbout(`${top}/held-`)).toEqual([]);
  await expect(symbols(readers, easy)).rejects.toMatchObject({ code: 'unavailable' });
});

test('nothing is left of a process that parses when the one that asked it is killed', async () => {
  const root = folder('killed', { 'hard.ts': ENDLESS });
  const program = fileURLToPath(new URL('../../../test/asking-process.ts', import.meta.url));
  const asking = spawn(process.execPath, ['--no-warnings', program, root], { stdio: 'ignore' });
  ends.push(() => asking.kill('SIGKILL'));
  await expect.poll(() => processesAbout(allowing(root)).some(({ cpuMs }) => cpuMs > 1500)).toBe(true);
  asking.kill('SIGKILL');
  await expect.poll(() => processesAbout(root), { timeout: 8000 }).toEqual([]);
});

test('the process reads its root and its own files, and has nothing else of the machine or the server', async () => {
  const attempts = {
    'another folder': `fs.readdirSync('/etc')`,
    'a file of the machine': `fs.readFileSync('/etc/hostname')`,
    'what the server was started with': `fs.readFileSync('/proc/' + process.ppid + '/environ')`,
    'a file of its own': `fs.writeFileSync(root + '/written', 'x')`,
    program: `(await import('node:child_process')).execFileSync('/bin/true')`,
    socket: `await new Promise((done, failed) => (net.connect(1, '127.0.0.1').on('error', ({ code }) => (code === 'ECONNREFUSED' ? done() : failed()))))`,
  };
  const tries = Object.entries(attempts).map(
    ([name, attempt]) => `try { ${attempt}; done.push(${JSON.stringify(name)}); } catch {}`,
  );
  const program = standIn(
    'reaching',
    `const [fs, net, done] = [await import('node:fs'), await import('node:net'), []];
    ${tries.join('\n')}
    const own = fs.readFileSync(root + '/a.ts', 'utf8');
    tell({ type: 'answer', answer: { own, done, env: process.env, cwd: process.cwd() } });`,
  );
  const root = folder('reached', { 'a.ts': 'own' });
  // The program itself lies beside the root, and is not kept from starting.
  expect(await symbols(readersOf({}, program), root)).toEqual({ own: 'own', done: [], env: {}, cwd: '/' });
});

test('a file that ends the process is left out; an end for another reason is told', async () => {
  const root = folder('ending');
  const parsing = `tell({ type: 'parsing', file, residentBytes: 1 })`;
  const giving = `if (givenUp.length > 0) return tell({ type: 'answer', answer: { givenUp } });`;
  const given = { givenUp: [{ path: 'hard.ts', mtimeMs: 7 }] };
  const ask = (name: string, work: string, limits: Partial<CodeLimits> = {}) =>
    symbols(readersOf(limits, standIn(name, work)), root);
  const kill = `process.kill(process.pid, 'SIGKILL')`;
  expect(await ask('crash', `${giving} ${parsing}; process.kill(process.pid, 'SIGSEGV');`)).toEqual(given);
  expect(await ask('memory', `${giving} ${parsing}; ${kill};`)).toEqual(given);
  const full = `tell({ type: 'parsing', file, residentBytes: 900 }); ${kill};`;
  await expect(ask('full', full, { residentBytes: 1000 })).rejects.toMatchObject({ code: 'too_large' });
  await expect(ask('between', `${parsing}; tell({ type: 'parsed' }); ${kill};`)).rejects.toMatchObject({
    code: 'too_large',
  });
  for (const [name, work] of [
    ['exit', 'process.exit(3)'],
    ['nonsense', `writeSync(1, 'nonsense\\n')`],
    ['unknown', `tell({ type: 'unknown' })`],
    ['long', `process.stdout.write('x'.repeat(17 * 1024 * 1024))`],
  ] as const)
    await expect(ask(name, work)).rejects.toThrow('The process that reads code ended.');
});

test('a question that takes too long ends with its process, and one that nobody waits for makes room', async () => {
  const program = standIn(
    'choosing',
    `if (root.endsWith('answered')) tell({ type: 'answer', answer: { pid: process.pid } });`,
  );
  const late = readersOf({ questionMs: 500 }, program);
  const silent = folder('silent');
  await expect(symbols(late, silent)).rejects.toMatchObject({ code: 'too_large' });
  await expect.poll(() => processesAbout(silent)).toEqual([]);
  const readers = readersOf({}, program);
  const left = new AbortController();
  const asked = [1, 2, 3, 4].map((at) => symbols(readers, folder(`left-${at}`), left.signal));
  const refused = asked.map((each) => expect(each).rejects.toThrow('left'));
  const waiting = symbols(readers, folder('left-answered'));
  left.abort(new Error('left'));
  await Promise.all(refused);
  expect(await waiting).toEqual({ pid: expect.any(Number) });
  await expect(symbols(readers, silent, AbortSignal.abort(new Error('never')))).rejects.toThrow('never');
});

test('few processes answer for many projects, and each ends when nobody asks it', async () => {
  const program = standIn('quick', `tell({ type: 'answer', answer: { pid: process.pid } });`);
  const readers = readersOf({}, program);
  const roots = [1, 2, 3, 4, 5, 6].map((at) => folder(`quick-${at}`));
  const answers = await Promise.all(roots.map((root) => symbols(readers, root)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(6);
  // Each is two: the program, and the watch beside it.
  await expect.poll(() => processesAbout(`${top}/quick-`).length).toBeLessThanOrEqual(8);
  expect(await symbols(readers, roots[5]!)).toEqual(answers[5]);
  // One that somebody else has ended is another one, the next time.
  for (const { pid } of processesAbout(allowing(roots[5]!))) process.kill(pid, 'SIGKILL');
  expect(await symbols(readers, roots[5]!)).not.toEqual(answers[5]);
  const idle = readersOf({ idleMs: 1 }, program);
  const root = folder('idle');
  await symbols(idle, root);
  await expect.poll(() => processesAbout(root)).toEqual([]);
  expect(await symbols(idle, root)).toBeDefined();
});

test('64 questions wait at most, and 16 of them for one project', async () => {
  const readers = readersOf({}, standIn('silent', ''));
  const roots = [1, 2, 3, 4].map((at) => folder(`full-${at}`));
  const waiting: Promise<unknown>[] = [];
  const busy = { code: 'rate_limited' };
  for (const root of roots) {
    for (let count = 0; count < 16; count += 1) waiting.push(symbols(readers, root).catch((error) => error));
    await expect(symbols(readers, root)).rejects.toMatchObject(busy);
  }
  await expect(symbols(readers, folder('full-other'))).rejects.toMatchObject(busy);
  await readers.close();
  for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: 'unavailable' });
});
