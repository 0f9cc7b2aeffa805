/** The thread that reads code: quick over many files, and never held up by one of them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CODE_TIMES, CodeThread } from './code-thread.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-code-')));
const ends: (() => unknown)[] = [() => rmSync(root, { recursive: true, force: true })];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const scope = { root, below: '', excluded: [] };
const { signal } = new AbortController();

function threadOf(...given: ConstructorParameters<typeof CodeThread>): CodeThread {
  const thread = new CodeThread(...given);
  ends.push(() => thread.close());
  return thread;
}

test('check 52: 10000 files are searched within 2 s', async () => {
  for (let folder = 0; folder < 100; folder += 1) {
    mkdirSync(join(root, `f${folder}`));
    for (let file = 0; file < 100; file += 1)
      writeFileSync(join(root, `f${folder}`, `m${file}.txt`), `needle${folder}\n`);
  }
  const thread = threadOf();
  const find = () => thread.ask({ type: 'references', scope, name: 'needle7', limit: 5 }, signal);
  expect((await find()).total).toBe(100);
  // The time of the processor, since others may be busy on this machine.
  const before = process.cpuUsage();
  expect((await find()).references).toHaveLength(5);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2000);
}, 60_000);

/** Says that it parses a file, and never ends it, until it is told to leave that file out. */
const HANGING = `
import { parentPort, workerData } from 'node:worker_threads';
parentPort.on('message', ({ id, question }) => {
  const { givenUp } = question.scope;
  if (givenUp.length > 0) return parentPort.postMessage({ id, answer: { givenUp } });
  const path = Buffer.from('hard.ts');
  new Uint8Array(workerData.parsing, 24).set(path);
  new Float64Array(workerData.parsing, 0, 3).set([Date.now(), 7, path.length]);
  for (;;);
});`;

test('a file that holds up the thread is left out, and the question is answered without it', async () => {
  const thread = threadOf(
    { ...CODE_TIMES, fileMs: 50 },
    new URL(`data:text/javascript,${encodeURIComponent(HANGING)}`),
  );
  const answer = await thread.ask({ type: 'references', scope, name: 'x', limit: 1 }, signal);
  expect(answer).toEqual({ givenUp: [{ path: 'hard.ts', mtimeMs: 7 }] });
});

test('a question that takes too long ends, and so does one that nobody waits for', async () => {
  const file = new URL('data:text/javascript,import "node:worker_threads"; setInterval(() => {}, 1000);');
  const late = threadOf({ ...CODE_TIMES, questionMs: 1 }, file);
  const ask = (thread: CodeThread, own: AbortSignal) =>
    thread.ask({ type: 'references', scope, name: 'x', limit: 1 }, own);
  await expect(ask(late, signal)).rejects.toMatchObject({ code: 'too_large' });
  const left = new AbortController();
  const asked = ask(threadOf(CODE_TIMES, file), left.signal);
  left.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
});
