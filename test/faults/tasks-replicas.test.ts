/** Faults between replicas: one dies half-way, one freezes past its lease, one is told to cancel what the other runs. */
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { LATER, openFaultBed, OWNER } from './tasks-bed.ts';
import type { Report } from './tasks-program.ts';

type At = Extract<Report, { at: string }>;
type Stopped = Extract<Report, { stopped: string }>;

const isAt = (report: Report): report is At => 'at' in report;
const isStopped = (report: Report): report is Stopped => 'stopped' in report;

const TASKS = 500;
const OWNERS = 5;
/** Few enough that neither is done before the other has begun. */
const RUNNING_AT_ONCE = 6;
/** Few enough that none waits long for a connection to the database. */
const MADE_AT_ONCE = 10;

onBothEngines('two replicas', (open, _engine, where) => {
  test('when one is killed half-way, all 500 tasks complete and none twice', async () => {
    const bed = await openFaultBed(open, where);
    const tasks: { ownerId: string; id: string }[] = [];
    while (tasks.length < TASKS) {
      const made = Array.from({ length: MADE_AT_ONCE }, async (_, index) => {
        const ownerId = `owner_${index % OWNERS}`;
        return { ownerId, id: (await bed.enqueue({ sleepMs: 100 }, ownerId)).id };
      });
      tasks.push(...(await Promise.all(made)));
    }
    const few = { limits: { runningPerProcess: RUNNING_AT_ONCE } };
    const [first] = await Promise.all([bed.work('first', few), bed.work('second', few)]);
    const done = () => bed.effects().filter((what) => what === 'two').length;
    // On a busy machine the other one may have begun much sooner.
    await eventually(() => expect([done() > TASKS / 4, bed.hasWorked('first')]).toEqual([true, true]));
    await first.kill();
    expect(done()).toBeLessThan(TASKS);
    await bed.lapse('first');
    for (const { id, ownerId } of tasks)
      expect(await bed.ended(id, ownerId)).toMatchObject({ status: 'completed' });
    for (const step of ['one', 'two']) {
      const again = bed.effects().filter((what) => what === step).length - TASKS;
      // Only a step that was under way in the dead process may have run again.
      expect(again).toBeGreaterThanOrEqual(0);
      expect(again).toBeLessThanOrEqual(RUNNING_AT_ONCE);
    }
  });

  test('a frozen one that wakes after its lease can change nothing', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first', { mayHang: true });
    const { id } = await bed.enqueue({ hangAt: 'between' });
    await first.heard(isAt);
    await first.freeze();
    await bed.work('second', LATER);
    const ended = await bed.ended(id);
    expect(ended).toMatchObject({ status: 'completed', result: { two: 'second' } });
    first.tell({ do: 'go' });
    first.child.kill('SIGCONT');
    // It has had its say when it obeys a later command.
    first.tell({ do: 'enqueue', input: {} });
    await first.heard((report): report is Extract<Report, { made: string }> => 'made' in report);
    first.child.kill('SIGTERM');
    expect(await first.gone).toEqual([0, null]);
    expect(await bed.get(id)).toEqual(ended);
    expect(bed.effects(id).filter((what) => what === 'one')).toEqual(['one']);
  });

  test('a cancel reaches a step that runs in another process', async () => {
    const bed = await openFaultBed(open, where);
    const worker = await bed.work('worker', { mayHang: true });
    const { id } = await bed.enqueue({ hangAt: 'inside' });
    await worker.heard(isAt);
    await bed.observer.cancel(OWNER, id, 'Not needed any more.');
    expect(await worker.heard(isStopped)).toEqual({ stopped: 'cancel', id });
    expect(await bed.ended(id)).toMatchObject({ status: 'cancelled' });
  });

  test('one that is told to stop hands its tasks to the other', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first', { mayHang: true });
    const { id } = await bed.enqueue({ hangAt: 'between' });
    await first.heard(isAt);
    await bed.work('second');
    first.child.kill('SIGTERM');
    expect(await first.heard(isStopped)).toEqual({ stopped: 'shutdown', id });
    expect(await first.gone).toEqual([0, null]);
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: { two: 'second' } });
    expect(bed.effects(id)).toEqual(['one', 'two']);
  });
});
