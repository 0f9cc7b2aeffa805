/** Runs that the database could not serve: nobody's fault, so no attempt, no crash and no end of their tasks. */
import { StoreUnavailableError } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Bed, Script } from '../../test/engine-bed.ts';
import { gate, openBed, TestClock, withFaults } from '../../test/engine-bed.ts';
import type { TaskTables } from '../schema.ts';

const LOST = new StoreUnavailableError('lost');
/** More than the attempts of a step, and more than the crashes of a task. */
const OUTAGES = 7;

const INSIDE: Script = ({ io }) => io.step('look', look);
const OUTSIDE: Script = ({ io }) => io.step('first', () => 'kept').then(look);
const CAUGHT: Script = ({ io }) => io.step('look', look).catch(() => 'wrongly believed');
const NESTED: Script = ({ io }) => io.step('outer', () => io.step('inner', () => 1).then(look));

let outages = 0;
function look(): string {
  if (outages-- > 0) throw LOST;
  return 'done';
}

/** Waits until the task has been given back, and turns the clock to when it is due again. */
async function comeBack(bed: Bed, id: string, clock: TestClock): Promise<void> {
  const row = await eventually(async () => {
    const found = await bed.row(id);
    expect(found).toMatchObject({ state: 'ready', worker_id: null, crashes: 0 });
    expect(found.due_at).toBeGreaterThan(clock.ms);
    return found;
  });
  clock.turn(row.due_at - clock.ms);
}

onBothEngines('a database that is away', (open) => {
  test.each([
    ['inside a step', INSIDE],
    ['outside of one', OUTSIDE],
    ['inside a step whose error is caught', CAUGHT],
    ['inside a step with another one in it', NESTED],
  ])('%s gives the task back, as often as it happens', async (_where, job) => {
    const clock = new TestClock();
    outages = OUTAGES;
    const bed = await openBed(open, { now: clock.now, limits: { rewriteMs: 0 }, scripts: { job } });
    const { id } = await bed.enqueue('job');
    for (let outage = 1; outage <= OUTAGES; outage += 1) await comeBack(bed, id, clock);
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    const steps = await bed.store.db<TaskTables>().selectFrom('task_steps').select('attempts').execute();
    expect(steps.map(({ attempts }) => attempts)).toEqual(steps.map(() => 1));
  });

  test('for a moment is waited for by the step itself', async () => {
    outages = 3;
    const bed = await openBed(open, { scripts: { job: INSIDE } });
    const { id } = await bed.enqueue('job');
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    expect({ fence: (await bed.row(id)).fence, faults: bed.faults }).toEqual({ fence: 1, faults: [] });
  });

  test('a step that may be done only once is not done again', async () => {
    outages = 1;
    const bed = await openBed(open, {
      scripts: { job: ({ io }) => io.step('send', look, { retry: { attempts: 1 } }) },
    });
    expect(await bed.ended((await bed.enqueue('job')).id)).toMatchObject({ status: 'failed' });
  });

  test('when the task goes back too gets it as soon as it is there again', async () => {
    const clock = new TestClock();
    const faulty = withFaults(await open(), LOST);
    const bed = await openBed(open, {
      now: clock.now,
      store: faulty.store,
      limits: { rewriteMs: 0, takeoverMs: 3_600_000, renewMs: 3_600_000 },
      scripts: {
        job: ({ io }) =>
          io.step('write', () => {
            if (outages-- > 0) faulty.failTimes(4);
            return 'done';
          }),
      },
    });
    outages = 1;
    const { id } = await bed.enqueue('job');
    await comeBack(bed, id, clock);
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
  });

  test('counts no crash against a task whose worker could not renew meanwhile', async () => {
    const idle = gate();
    const faulty = withFaults(await open(), LOST);
    const bed = await openBed(open, {
      store: faulty.store,
      limits: { runningPerProcess: 0 },
      scripts: { job: () => idle.opened },
    });
    const { id } = await bed.enqueue('job');
    for (let outage = 1; outage <= OUTAGES; outage += 1) {
      faulty.failTimes(1);
      const left = { state: 'running', worker_id: 'worker_cut_off', lease_until: 1 } as const;
      await bed.store.db<TaskTables>().updateTable('tasks').set(left).where('id', '=', id).execute();
      await eventually(async () =>
        expect(await bed.row(id)).toMatchObject({ state: 'ready', crashes: 0, outcome: null }),
      );
    }
  });
});
