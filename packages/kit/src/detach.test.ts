/** Detached work: every way to fail reaches `onFault` once, and nothing else is heard of it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { detach } from './detach.ts';

const FAULT = new Error('failed');
const unhandled: unknown[] = [];
const note = (error: unknown) => unhandled.push(error);

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.off('unhandledRejection', note);
});

/** Node tells of unhandled rejections after the microtasks of a turn. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const thenable: PromiseLike<never> = {
  // oxlint-disable-next-line unicorn/no-thenable -- query builders are thenables, and this stands for one
  then: (_done, failed) => Promise.reject(FAULT).then(undefined, failed),
};

test.each<[string, () => Parameters<typeof detach>[0], unknown[]]>([
  ['a promise that rejects', () => Promise.reject(FAULT), [FAULT]],
  ['work that rejects', () => async () => Promise.reject(FAULT), [FAULT]],
  [
    'work that throws before there is a promise',
    () => () => {
      throw FAULT;
    },
    [FAULT],
  ],
  ['a thenable that rejects', () => thenable, [FAULT]],
  ['a promise that resolves', () => Promise.resolve('done'), []],
  ['work that resolves', () => async () => 'done', []],
])('%s', async (_name, work, expected) => {
  const faults: unknown[] = [];
  expect(detach(work(), (error) => faults.push(error))).toBeUndefined();
  await turn();
  expect({ faults, unhandled }).toEqual({ faults: expected, unhandled: [] });
});

test('a report that throws is not an unhandled rejection', async () => {
  detach(Promise.reject(FAULT), () => {
    throw new Error('The log is gone.');
  });
  await turn();
  expect(unhandled).toEqual([]);
});

test('work starts at once', () => {
  let hasStarted = false;
  detach(
    async () => (hasStarted = true),
    (error) => unhandled.push(error),
  );
  expect(hasStarted).toBe(true);
});
