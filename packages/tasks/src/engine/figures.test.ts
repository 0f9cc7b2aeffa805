/** Figures: what operators see of tasks is what the rows say, and what happened to runs is counted once. */
import { testCaller } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { gate, openBed, question, TestClock, untilStopped } from '../../test/engine-bed.ts';
import type { TaskTables } from '../schema.ts';
import type { RunCounts } from './figures.ts';

const MINUTE_MS = 60_000;

onBothEngines('the figures of tasks', (open) => {
  test('tell states and ages of what lives, and nothing of what has ended', async () => {
    const clock = new TestClock();
    const hold = gate();
    const scripts = {
      end: async () => 'done',
      hold: () => hold.opened,
      ask: ({ io }: Parameters<typeof untilStopped>[0]) => io.request('who', question('Who?')),
    };
    const bed = await openBed(open, { scripts, now: clock.now, limits: { runningPerOwner: 1 } });
    const other = { caller: testCaller({ id: 'other' }) };
    const ended = await bed.enqueue('end', other);
    await bed.ended(ended.id, { organizationId: 'org_test', ownerId: 'other' });
    await bed.enqueue('ask', other);
    await eventually(async () =>
      expect((await bed.engine.figures()).living).toMatchObject([{ state: 'asking' }]),
    );
    await bed.enqueue('end', { ...other, runAt: clock.ms + 60 * MINUTE_MS });
    await bed.enqueue('hold');
    await bed.enqueue('hold');
    clock.turn(MINUTE_MS);
    await eventually(async () => {
      const { living } = await bed.engine.figures();
      const told = living.map(({ pool, state, count, oldestMs }) => [pool, state, count, oldestMs]);
      expect(told.toSorted(([, left = ''], [, right = '']) => (left < right ? -1 : 1))).toEqual([
        ['caller', 'asking', 1, MINUTE_MS],
        ['caller', 'later', 1, MINUTE_MS],
        ['caller', 'running', 1, MINUTE_MS],
        ['caller', 'waiting', 1, MINUTE_MS],
      ]);
    });
    hold.open();
    await eventually(async () => {
      const { runs } = await bed.engine.figures();
      expect(runs.ended).toEqual({ completed: 3, failed: 0, cancelled: 0 });
      expect(runs.running).toEqual({ caller: 0, system: 0 });
    });
  });

  test('count a run whose task went to another worker, and the task that was taken over', async () => {
    const bed = await openBed(open, { scripts: { hang: untilStopped } });
    const { id } = await bed.enqueue('hang');
    await eventually(async () => expect((await bed.row(id)).state).toBe('running'));
    await bed.store
      .db<TaskTables>()
      .updateTable('tasks')
      .set({ worker_id: 'worker_dead', lease_until: 1, fence: 7 })
      .where('id', '=', id)
      .execute();
    const other = await openBed(open, { scripts: { hang: untilStopped } });
    // Either may take it over, and run it again.
    const runs = async () => [(await bed.engine.figures()).runs, (await other.engine.figures()).runs];
    const sum = async (of: (counts: RunCounts) => number) =>
      (await runs()).reduce((total, counts) => total + of(counts), 0);
    await eventually(async () => expect(await sum(({ takenOver }) => takenOver)).toBe(1));
    await eventually(async () => expect(await bed.row(id)).toMatchObject({ state: 'running', fence: 9 }));
    await other.engine.cancel({ organizationId: 'org_test', ownerId: 'caller_test' }, id, 'Enough.');
    await eventually(async () => {
      expect(await sum(({ ended }) => ended.cancelled)).toBe(1);
      expect((await bed.engine.figures()).runs.leaseLosses).toBe(1);
    });
  });
});
