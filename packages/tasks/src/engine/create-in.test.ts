import { testCaller } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { openBed, TestClock } from '../../test/engine-bed.ts';
import type { NewTask } from '../task.ts';

const HOUR_MS = 60 * 60_000;

const task = (changes: Partial<NewTask> = {}): NewTask => ({
  kind: 'job',
  input: null,
  caller: testCaller(),
  capabilities: {},
  ...changes,
});

onBothEngines('a task made in a transaction', (open) => {
  const openJobs = async () => {
    const clock = new TestClock();
    const ran: string[] = [];
    const bed = await openBed(open, {
      now: clock.now,
      scripts: {
        job: async ({ taskId }) => {
          ran.push(taskId);
        },
      },
    });
    const make = (changes?: Partial<NewTask>) =>
      bed.store.transaction((tx) => bed.engine.enqueueIn(tx, task(changes)));
    return { ...bed, clock, ran, make };
  };

  test('runs after the commit', async () => {
    const { store, engine, ended, ran } = await openJobs();
    const made = await store.transaction(async (tx) => {
      const created = await engine.enqueueIn(tx, task());
      expect(created.status).toBe('working');
      return created;
    });
    expect(await ended(made.id)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual([made.id]);
  });

  test('is gone with a rollback', async () => {
    const { store, engine, make, ended, ran } = await openJobs();
    const failing = store.transaction(async (tx) => {
      await engine.enqueueIn(tx, task());
      throw new Error('Rolled back.');
    });
    await expect(failing).rejects.toThrow('Rolled back.');
    const later = await make();
    await ended(later.id);
    expect(ran).toEqual([later.id]);
  });

  test('is found again by its key, also when it has ended', async () => {
    const { make, ended, ran } = await openJobs();
    const first = await make({ idempotencyKey: 'same' });
    await ended(first.id);
    expect(await make({ idempotencyKey: 'same' })).toMatchObject({ id: first.id, status: 'completed' });
    expect(ran).toEqual([first.id]);
  });

  test('twenty transactions at once with one key make one task', async () => {
    const { make, ended, ran } = await openJobs();
    const made = await Promise.all(Array.from({ length: 20 }, () => make({ idempotencyKey: 'same' })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    await ended(made[0]!.id);
    expect(ran).toEqual([made[0]!.id]);
  });

  test('one that waits for later is brought forward, and never put off', async () => {
    const { make, ended, ran, row, clock } = await openJobs();
    const at = (hours: number) => clock.ms + hours * HOUR_MS;
    const { id } = await make({ idempotencyKey: 'same', runAt: at(5) });
    await make({ idempotencyKey: 'same', runAt: at(2) });
    expect((await row(id)).due_at).toBe(at(2));
    await make({ idempotencyKey: 'same', runAt: at(9) });
    expect((await row(id)).due_at).toBe(at(2));
    expect(ran).toEqual([]);
    await make({ idempotencyKey: 'same' });
    await ended(id);
    await eventually(() => expect(ran).toEqual([id]));
  });

  test('of a kind that nobody knows is refused', async () => {
    const { make } = await openJobs();
    await expect(make({ kind: 'unknown' })).rejects.toThrow('No code is registered');
  });
});
