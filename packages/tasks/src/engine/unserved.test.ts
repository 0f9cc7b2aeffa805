/** Runs that the database could not serve: nobody's fault, so no attempt, no crash and no end of their tasks. */
import { StoreUnavailableError } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Bed, Script } from '../../test/engine-bed.ts';
import { gate, openBed, question, TestClock, withFaults, withLostAnswers } from '../../test/engine-bed.ts';
import { DEFAULT_TASK_LIMITS } from '../limits.ts';
import type { TaskLimits } from '../limits.ts';
import type { TaskTables } from '../schema.ts';
import { UnheardClaims } from './unheard-claims.ts';

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

  test.each<['ended' | 'parked' | 'ended unseen', Script, Partial<TaskLimits>]>([
    ['ended', async () => 'done', {}],
    ['parked', ({ io }) => io.request('who', question('Who?')), {}],
    ['ended unseen', async () => 'done', { rewriteMs: 0 }],
  ])('whoever waits hears of a task that %s although the answer was lost', async (what, job, limits) => {
    const lossy = withLostAnswers(await open());
    const running = gate();
    const goes = gate();
    const bed = await openBed(open, {
      store: lossy.store,
      limits: { ...limits, renewMs: 3_600_000, takeoverMs: 3_600_000 },
      scripts: {
        job: async (run, input) => {
          running.open();
          await goes.opened;
          lossy.loseTimes(1);
          return job(run, input);
        },
      },
    });
    const { id } = await bed.enqueue('job');
    await running.opened;
    const told = new Promise<void>((resolve) => {
      bed.engine.watch(id, ({ kind }) => kind === 'changed' && resolve());
    });
    goes.open();
    await told;
    expect((await bed.get(id)).status).toBe(what === 'parked' ? 'input_required' : 'completed');
    expect((await bed.row(id)).fence).toBe(1);
  });

  test('a task whose claim was not heard of is run all the same, and its worker did not die', async () => {
    const lossy = withLostAnswers(await open(), {
      lane: 'general',
      isMeant: (rows) => rows.some((row) => typeof row === 'object' && row !== null && 'lease_until' in row),
    });
    const goes = gate();
    const running = gate();
    const bed = await openBed(open, {
      store: lossy.store,
      limits: { runningPerOwner: 1, renewMs: 3_600_000, takeoverMs: 3_600_000 },
      scripts: {
        first: () => (running.open(), goes.opened),
        second: async () => 'done',
      },
    });
    await bed.enqueue('first');
    await running.opened;
    const { id } = await bed.enqueue('second');
    lossy.loseTimes(1);
    goes.open();
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    const { crashes, fence } = await bed.row(id);
    // Claimed, given back, and claimed again.
    expect({ crashes, fence }).toEqual({ crashes: 0, fence: 3 });
  });

  test('a claim that is still to be heard of is not taken for one that was lost', async () => {
    const bed = await openBed(open, {
      limits: { runningPerProcess: 0, takeoverMs: 3_600_000 },
      scripts: { job: async () => 'done' },
    });
    const [late, lost] = [await bed.enqueue('job'), await bed.enqueue('job')];
    const claim = { state: 'running', worker_id: 'worker_test', fence: 1, lease_until: Date.now() } as const;
    await bed.store.db<TaskTables>().updateTable('tasks').set(claim).execute();
    const adopted = new Set<string>();
    const claims = new UnheardClaims({
      store: bed.store,
      workerId: claim.worker_id,
      limits: DEFAULT_TASK_LIMITS,
      now: Date.now,
      onFault: (error) => bed.faults.push(error),
      isRun: ({ id }) => adopted.has(id),
    });
    const answer = gate();
    const claiming = claims.during(() => answer.opened.then(() => adopted.add(late.id)));
    claims.doubt(LOST);
    // Time for a look that would not wait.
    for (let look = 0; look < 5; look += 1) await bed.row(lost.id);
    answer.open();
    await claiming;
    await claims.close();
    expect(await bed.row(late.id)).toMatchObject({ state: 'running', fence: 1 });
    expect(await bed.row(lost.id)).toMatchObject({ state: 'ready', fence: 2, crashes: 0 });
    expect(bed.faults).toEqual([]);
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
