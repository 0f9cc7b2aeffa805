import { expect, onTestFinished, test, vi } from 'vitest';
import { inTime } from './stop-steps.ts';

test('a step that never ends is named once its time is over, and those before it were done', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const done: string[] = [];
  const late: string[] = [];
  const stuck = Promise.withResolvers<void>();
  const stopping = inTime(
    [
      ['the port', async () => done.push('port')],
      ['the database', () => stuck.promise],
      ['the rest', async () => done.push('rest')],
    ],
    2_000,
    (step) => late.push(step),
  );
  await vi.advanceTimersByTimeAsync(19_999);
  expect([done, late]).toEqual([['port'], []]);
  await vi.advanceTimersByTimeAsync(1);
  expect(late).toEqual(['the database']);
  stuck.resolve();
  await stopping;
  expect([done, late]).toEqual([['port', 'rest'], ['the database']]);
});

test('a step that fails ends the stop, and nobody is told that it is late', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const late: string[] = [];
  const failing = inTime([['the port', () => Promise.reject(new Error('no'))]], 0, (step) => late.push(step));
  await expect(failing).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(late).toEqual([]);
});
