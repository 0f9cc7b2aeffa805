/** Sleeps: held when short, parked when long, and never longer than asked for. */
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Script } from '../../test/engine-bed.ts';
import { openBed, OWNER, accept, question, TestClock } from '../../test/engine-bed.ts';

const HOUR_MS = 3_600_000;

onBothEngines('sleeps', (open) => {
  test('a short sleep holds its worker and survives in the store', async () => {
    let entered = 0;
    const nap: Script = async ({ io }) => {
      entered += 1;
      await io.sleep('nap', 30);
    };
    const bed = await openBed(open, { scripts: { nap } });
    const { id, createdAt } = await bed.enqueue('nap');
    const { finishedAt } = await bed.ended(id);
    expect(finishedAt).toBeGreaterThanOrEqual(createdAt + 30);
    // One that is parked is entered again when it goes on.
    expect(entered).toBe(1);
  });

  test('a long sleep is parked and ends at its time, not before', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, {
      now: clock.now,
      scripts: {
        night: async ({ io }) => {
          await io.sleep('night', 8 * HOUR_MS);
          await io.sleep('until', new Date(clock.ms - 1));
          return clock.ms;
        },
      },
    });
    const startedAt = clock.ms;
    const { id } = await bed.enqueue('night');
    await eventually(async () => {
      const row = await bed.row(id);
      expect(row).toMatchObject({ state: 'ready', worker_id: null, due_at: startedAt + 8 * HOUR_MS });
    });
    expect((await bed.get(id)).status).toBe('working');
    clock.turn(8 * HOUR_MS - 1);
    // A task made later runs through, so the worker has looked and left the sleeper alone.
    await bed.engine.cancel(OWNER, (await bed.enqueue('night')).id, 'Only to look.');
    expect((await bed.row(id)).state).toBe('ready');
    clock.turn(1);
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: startedAt + 8 * HOUR_MS });
  });

  test('the nearest of many sleeps wakes by one timer, without a look in between', async () => {
    const bed = await openBed(open, {
      limits: { takeoverMs: HOUR_MS, heldSleepMs: 5 },
      scripts: { nap: ({ io }, ms) => io.sleep('nap', Number(ms)) },
    });
    const waits = [3_600_000, 60, 200, 120];
    const tasks = await Promise.all(waits.map((input) => bed.enqueue('nap', { input })));
    const [far, ...near] = tasks;
    for (const [index, task] of near.entries()) {
      const { finishedAt } = await bed.ended(task.id);
      expect(finishedAt! - task.createdAt).toBeGreaterThanOrEqual(waits[index + 1]!);
    }
    expect((await bed.get(far!.id)).status).toBe('working');
  });

  test('a clock that is set back neither lengthens a held sleep nor takes lastUpdatedAt back', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, {
      now: clock.now,
      scripts: {
        nap: async ({ io }) => {
          await io.step('before', () => 1);
          clock.turn(-HOUR_MS);
          await io.sleep('nap', 20);
        },
      },
    });
    const { id, updatedAt } = await bed.enqueue('nap');
    const ended = await bed.ended(id);
    expect(ended.status).toBe('completed');
    expect(ended.updatedAt).toBeGreaterThanOrEqual(updatedAt);
  });

  test('a sleep beside a question wakes the task while the question stays open', async () => {
    const ran: string[] = [];
    const bed = await openBed(open, {
      scripts: {
        both: async ({ io }) => {
          const nap = async () => {
            await io.sleep('nap', 40);
            await io.step('awake', () => ran.push('awake'));
          };
          const [answer] = await Promise.all([io.request('who', question('Who?')), nap()]);
          return answer;
        },
      },
    });
    const { id } = await bed.enqueue('both');
    await eventually(() => expect(ran).toEqual(['awake']));
    await eventually(async () => expect(Object.keys((await bed.get(id)).inputRequests)).toEqual(['who']));
    await bed.engine.answer(OWNER, id, { who: accept({ name: 'Ada' }) });
    expect((await bed.ended(id)).result).toEqual(accept({ name: 'Ada' }));
    expect(ran).toEqual(['awake']);
  });
});
