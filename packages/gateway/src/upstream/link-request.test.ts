/** Notices of a call on their way to the client: as many as anybody reads, in their order, and clean. */
import { describe, expect, test } from 'vitest';
import { cleaned } from './clean-result.ts';
import type { LinkRequest } from './link.ts';
import { withFitNotices } from './link-request.ts';

function heard(wants: readonly ('progress' | 'log')[] = ['progress', 'log']) {
  let nowMs = 0;
  const told: unknown[] = [];
  const logged: unknown[] = [];
  const given: LinkRequest = {
    method: 'tools/call',
    params: {},
    capabilities: {},
    signal: AbortSignal.any([]),
    limitMs: 1_000,
    isRead: true,
    ...(wants.includes('progress') && { onProgress: (done) => told.push(done) }),
    ...(wants.includes('log') && { log: { level: 'debug', on: (_level, data) => logged.push(data) } }),
  };
  const request = withFitNotices(
    given,
    (value) => cleaned(value, ['s3cret-of-it']),
    () => nowMs,
  );
  const progress = (from: number, count: number) => {
    for (let done = from; done < from + count; done += 1) request.onProgress?.(done);
  };
  const log = (count: number) => {
    for (let at = 0; at < count; at += 1) request.log?.on('info', `s3cret-of-it ${at}`);
  };
  return { given, request, told, logged, progress, log, pass: (ms: number) => (nowMs += ms) };
}

describe('notices of one call', () => {
  test.each([
    ['a few', [[0, 30]], 30],
    ['all that may come at once', [[0, 100]], 100],
    ['a flood', [[0, 50_000]], 100],
    [
      'a flood that goes on for a second',
      [
        [0, 50_000],
        [1_000, 50_000],
      ],
      120,
    ],
    [
      'a flood after a rest',
      [
        [0, 50_000],
        [60_000, 50_000],
      ],
      200,
    ],
    ['a steady trickle', Array.from({ length: 500 }, () => [50, 1] as const), 500],
  ] as const)('%s', (_name, waves, passed) => {
    const { told, progress, pass } = heard();
    let from = 1;
    for (const [afterMs, count] of waves) {
      pass(afterMs);
      progress(from, count);
      from += count;
    }
    expect(told).toHaveLength(passed);
    // Progress never goes back, whatever was left out of it.
    expect(told).toEqual(told.toSorted((left, right) => Number(left) - Number(right)));
  });

  test('messages are counted apart, and come without secrets', () => {
    const { told, logged, progress, log } = heard();
    progress(1, 50_000);
    log(50_000);
    expect([told.length, logged.length]).toEqual([100, 100]);
    expect(logged.slice(0, 2)).toEqual(['[secret] 0', '[secret] 1']);
    expect(JSON.stringify(logged)).not.toContain('s3cret');
  });

  test('another call has its own, and one that wants none is left as it is', () => {
    const [first, second] = [heard(), heard()];
    first.progress(1, 50_000);
    second.progress(1, 1);
    expect(second.told).toEqual([1]);
    const silent = heard([]);
    expect(silent.request).toBe(silent.given);
  });
});
