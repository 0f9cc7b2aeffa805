/** Step outcomes in the store: once per call, found again by another process, free again after a failure. */
import { detach, ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storedSteps, sweepCallSteps } from './call-steps.ts';
import { gatewayMigrations } from '../migrations/index.ts';

let store: Store & AsyncDisposable;
let now = 0;
const scope = { organizationId: 'org_a', callId: 'call_1' };

beforeEach(async () => {
  now = 1_800_000_000_000;
  store = await scratchStore();
  await store.migrate([gatewayMigrations]);
});

afterEach(async () => {
  await store[Symbol.asyncDispose]();
});

const steps = () => storedSteps(store, () => now);

test('a step runs once, and whoever comes later gets its outcome', async () => {
  const work = vi.fn<() => Promise<{ sent: number }>>(async () => ({ sent: 7 }));
  expect(await steps().once(scope, 'send', work)).toEqual({ sent: 7 });
  expect(await steps().once(scope, 'send', work)).toEqual({ sent: 7 });
  expect(work).toHaveBeenCalledOnce();
});

test('steps of another key, call or organization are their own', async () => {
  const work = vi.fn<() => number>(() => 1);
  await steps().once(scope, 'a', work);
  await steps().once(scope, 'b', work);
  await steps().once({ ...scope, callId: 'call_2' }, 'a', work);
  await steps().once({ ...scope, organizationId: 'org_b' }, 'a', work);
  expect(work).toHaveBeenCalledTimes(4);
});

test('a step without a value is remembered too', async () => {
  const work = vi.fn<() => undefined>(() => undefined);
  await steps().once(scope, 'quiet', work);
  expect(await steps().once(scope, 'quiet', work)).toBeUndefined();
  expect(work).toHaveBeenCalledOnce();
});

test('a step that is running elsewhere is a conflict, not a second run', async () => {
  const work = vi.fn<() => number>(() => 1);
  await steps().once(scope, 'busy', async () => {
    const second = steps().once(scope, 'busy', work);
    await expect(second).rejects.toThrow(ToolError);
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
  });
  expect(work).not.toHaveBeenCalled();
});

test('a step that failed may run again', async () => {
  const failing = steps().once(scope, 'flaky', () => Promise.reject(new Error('no network')));
  await expect(failing).rejects.toThrow('no network');
  expect(await steps().once(scope, 'flaky', () => 'done')).toBe('done');
});

test('a step whose process died is free again after a minute', async () => {
  await new Promise<void>((isRunning) => {
    const work = () => {
      isRunning();
      return new Promise<never>(() => undefined);
    };
    // It never ends, so nothing is ever heard of it.
    detach(steps().once(scope, 'crashed', work), () => undefined);
  });
  await expect(steps().once(scope, 'crashed', () => 1)).rejects.toMatchObject({ code: 'conflict' });
  now += 60_000;
  expect(await steps().once(scope, 'crashed', () => 'taken over')).toBe('taken over');
});

test('what a step left behind is forgotten half an hour later', async () => {
  await steps().once(scope, 'old', () => 1);
  now += 30 * 60_000 + 1;
  await steps().once(scope, 'other', () => 1);
  await sweepCallSteps(store, now);
  const rows = await store
    .db<{ call_steps: { step_key: string } }>()
    .selectFrom('call_steps')
    .select('step_key')
    .execute();
  expect(rows.map(({ step_key }) => step_key)).toEqual(['other']);
});
