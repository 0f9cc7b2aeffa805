/** Bulkhead and breaker, with a clock of the test's own. */
import { ToolError } from '@parley/kit';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BreakerState } from './breaker.ts';
import type { Ending, Isolation, Lane } from './isolation.ts';
import { createIsolation, endingOf } from './isolation.ts';
import type { FaultKind } from './link.ts';
import { UpstreamFault } from './link.ts';

const SIGNAL = new AbortController().signal;
let now: number;
let states: [string, BreakerState][];
let isolation: Isolation;
let lane: Lane;

beforeEach(() => {
  now = 1_000_000;
  states = [];
  isolation = createIsolation({ now: () => now, onChange: (id, state) => states.push([id, state]) });
  lane = isolation.lane('conn_1');
});

/** What a call is refused with; undefined when it ran and ended like this. */
function call(ending: Ending): ToolError | undefined {
  try {
    expect(lane.enter('One', SIGNAL)).toBeUndefined();
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  lane.leave(ending);
  return undefined;
}

const times = (count: number, ending: Ending) => Array.from({ length: count }, () => call(ending));

describe('the breaker', () => {
  test('check 33: opens after five failures in a row, and says how long', () => {
    times(5, 'failed');
    expect(call('ok')).toMatchObject({
      code: 'unavailable',
      data: { reason: 'breaker_open', retryAfterMs: 10_000 },
      message: expect.stringContaining('One') as string,
    });
    now += 4_000;
    expect(call('ok')).toMatchObject({ data: { retryAfterMs: 6_000 } });
  });

  test('opens for as long when the clock is set back', () => {
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    lane = createIsolation().lane('conn_1');
    times(5, 'failed');
    const atMs = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(atMs - 2 * 60 * 60_000);
    const { retryAfterMs } = (call('ok')?.data ?? {}) as { retryAfterMs?: number };
    expect(retryAfterMs).toBeLessThanOrEqual(10_000);
  });

  test.each<[string, Ending[]]>([
    ['four failures and a success', ['failed', 'failed', 'failed', 'failed', 'ok', 'failed', 'failed']],
    ['what says nothing', Array<Ending>(30).fill('neither')],
  ])('stays closed after %s', (_name, endings) => {
    for (const ending of endings) expect(call(ending)).toBeUndefined();
    expect(isolation.stateOf('conn_1')).toBe('closed');
  });

  test('opens when half of twenty within 30 s failed, and not when they took longer', () => {
    for (let round = 0; round < 10; round += 1) {
      now += 4_000;
      call('ok');
      call('failed');
    }
    expect(isolation.stateOf('conn_1')).toBe('closed');
    for (let round = 0; round < 10; round += 1) {
      now += 1_000;
      call('ok');
      call('failed');
    }
    expect(isolation.stateOf('conn_1')).toBe('open');
  });

  test('check 33: lets one call try, closes when it works, and waits twice as long when it does not, up to 5 min', () => {
    times(5, 'failed');
    let pauseMs = 10_000;
    for (let round = 0; round < 7; round += 1) {
      now += pauseMs;
      expect(lane.enter('One', SIGNAL)).toBeUndefined();
      expect(isolation.stateOf('conn_1')).toBe('half-open');
      expect(call('ok')).toMatchObject({ data: { reason: 'breaker_open' } });
      lane.leave('failed');
      pauseMs = Math.min(pauseMs * 2, 300_000);
      expect(call('ok')).toMatchObject({ data: { retryAfterMs: pauseMs } });
    }
    now += pauseMs;
    expect(call('ok')).toBeUndefined();
    expect(isolation.stateOf('conn_1')).toBe('closed');
    expect(states[0]).toEqual(['conn_1', 'open']);
    expect(states.at(-1)).toEqual(['conn_1', 'closed']);
  });

  test('lets the next one try when the one that tried was cancelled', () => {
    times(5, 'failed');
    now += 10_000;
    expect(call('neither')).toBeUndefined();
    expect(call('ok')).toBeUndefined();
    expect(isolation.stateOf('conn_1')).toBe('closed');
  });

  test('can be reset, and is of its connection alone', () => {
    times(5, 'failed');
    expect(isolation.stateOf('conn_2')).toBe('closed');
    isolation.reset('conn_1');
    expect(call('ok')).toBeUndefined();
  });

  test('counts what the upstream is to blame for', () => {
    const ends = (kind: FaultKind, about = {}) => endingOf(new UpstreamFault(kind, 'No.', about));
    const kinds = ['unreachable', 'timeout', 'broken', 'invalid_result', 'dropped'] as const;
    for (const kind of kinds) expect(ends(kind)).toBe('failed');
    for (const kind of ['auth_required', 'forbidden', 'rate_limited', 'rpc'] as const)
      expect(ends(kind)).toBe('ok');
    expect(ends('not_allowed')).toBe('neither');
    expect(ends('invalid_result', { wasSent: false, isOfCaller: true })).toBe('neither');
    expect(ends('invalid_result', { isRefusal: true })).toBe('ok');
  });
});

describe('the bulkhead', () => {
  beforeEach(() => {
    lane = createIsolation({ limits: { inFlight: 2, waiting: 2, waitMs: 20 } }).lane('conn_1');
  });

  test('lets so many run, so many wait in their order, and refuses the next', async () => {
    const order: number[] = [];
    expect([lane.enter('One', SIGNAL), lane.enter('One', SIGNAL)]).toEqual([undefined, undefined]);
    const waiting = [1, 2].map(async (number) => {
      await lane.enter('One', SIGNAL);
      order.push(number);
    });
    expect(() => lane.enter('One', SIGNAL)).toThrow('Too many calls of One');
    lane.leave('ok');
    lane.leave('ok');
    await Promise.all(waiting);
    expect(order).toEqual([1, 2]);
    lane.leave('ok');
    lane.leave('ok');
    expect(lane.enter('One', SIGNAL)).toBeUndefined();
  });

  test('refuses who waited too long, and lets go of who left', async () => {
    expect([lane.enter('One', SIGNAL), lane.enter('One', SIGNAL)]).toEqual([undefined, undefined]);
    await expect(lane.enter('One', SIGNAL)).rejects.toMatchObject({ code: 'rate_limited' });
    const control = new AbortController();
    const left = lane.enter('One', control.signal);
    control.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    lane.leave('ok');
    expect(lane.enter('One', SIGNAL)).toBeUndefined();
  });
});
