/** Leases: work passes from a worker that stops, stalls or dies to another one, and only one of them can write. */
import type { Store } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { gate, openBed, scripted, TestClock, untilStopped, withFaults } from '../../test/engine-bed.ts';
import { DEFAULT_TASK_LIMITS } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import { CANCEL } from './changes.ts';
import { renewLeases } from './lease.ts';

// No lease here is short: one lapses when the test writes it or turns the clock, never because the machine is slow.
const HOUR_MS = 3_600_000;
/** A worker that does not renew, as one that is stalled; with no place for the task when it is free again. */
const STALLED = { renewMs: HOUR_MS, takeoverMs: HOUR_MS, runningPerProcess: 1 };
const DAY_MS = 24 * HOUR_MS;

/** What a worker leaves that died while it ran the task. */
async function leaveBehind(store: Store, id: string): Promise<void> {
  await write(store, id, { state: 'running', worker_id: 'worker_dead', lease_until: 1, fence: 1 });
}

async function lapse(store: Store, id: string): Promise<void> {
  await write(store, id, { lease_until: 1 });
}

async function write(store: Store, id: string, values: Partial<TaskRow>): Promise<void> {
  await store.db<TaskTables>().updateTable('tasks').set(values).where('id', '=', id).execute();
}

function driverError(code: string): Error {
  return Object.assign(new Error('As the driver says it.'), { code });
}

onBothEngines('leases', (open, engine) => {
  test('a stopped engine lets a step end, gives its tasks back, and another one finishes them', async () => {
    const running = gate();
    const stepEnds = gate();
    const ran: string[] = [];
    const first = await openBed(open, {
      scripts: {
        long: async (run) => {
          await run.io.step('one', async () => {
            running.open();
            await stepEnds.opened;
            ran.push('one');
          });
          return untilStopped(run);
        },
      },
    });
    const { id } = await first.enqueue('long');
    await running.opened;
    const stopped = first.engine.stop();
    stepEnds.open();
    await stopped;
    expect(await first.row(id)).toMatchObject({ state: 'ready', worker_id: null, crashes: 0 });
    const second = await openBed(open, {
      scripts: { long: ({ io }) => io.step('one', () => ran.push('again')).then(() => 'done') },
    });
    expect(await second.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(ran).toEqual(['one']);
  });

  test('a stop cuts off code that ignores it, and never marks a task cancelled', async () => {
    const running = gate();
    const bed = await openBed(open, {
      limits: { graceMs: 20 },
      scripts: {
        deaf: () => {
          running.open();
          return new Promise(() => undefined);
        },
      },
    });
    const { id } = await bed.enqueue('deaf');
    await running.opened;
    await bed.engine.stop();
    expect(await bed.row(id)).toMatchObject({ state: 'ready', outcome: null, crashes: 0 });
  });

  test('a task that is made while the engine stops is not lost', async () => {
    const bed = await openBed(open, { scripts: { wait: (run) => untilStopped(run) } });
    const making = Promise.allSettled(Array.from({ length: 8 }, () => bed.enqueue('wait')));
    const stopping = bed.engine.stop();
    const made = await making;
    await stopping;
    await eventually(async () => {
      const rows = await bed.store.db<TaskTables>().selectFrom('tasks').select('state').execute();
      expect(rows).toEqual(
        made.filter(({ status }) => status === 'fulfilled').map(() => ({ state: 'ready' })),
      );
    });
  });

  test('a lapsed lease is taken over, and whatever the first worker still writes is refused', async () => {
    const stalled = gate();
    const wakes = gate();
    const firstEnded = Promise.withResolvers<unknown>();
    const first = await openBed(open, {
      limits: STALLED,
      scripts: {
        shared: async ({ io }) => {
          await io.step('one', () => 'first');
          stalled.open();
          await wakes.opened;
          await io.progress(50, 100, 'from the past');
          const late = await io.step('two', () => 'first').catch((error: unknown) => error);
          firstEnded.resolve(late);
          return 'from the past';
        },
      },
    });
    const { id } = await first.enqueue('shared');
    await stalled.opened;
    await lapse(first.store, id);
    const second = await openBed(open, {
      scripts: {
        shared: async ({ io }) => [
          await io.step('one', () => 'second'),
          await io.step('two', () => 'second'),
        ],
      },
    });
    const ended = await second.ended(id);
    expect(ended).toMatchObject({ status: 'completed', result: ['first', 'second'] });
    wakes.open();
    // Refused by the store, or already told that the task is gone.
    expect(['LeaseLost', 'AbortError']).toContain(((await firstEnded.promise) as Error).name);
    await first.engine.stop();
    expect(await second.get(id)).toEqual(ended);
  });

  test('a worker that has lost a task learns of it through the signal', async () => {
    const why = Promise.withResolvers<unknown>();
    const running = gate();
    const bed = await openBed(open, {
      limits: { renewMs: 40, takeoverMs: HOUR_MS },
      scripts: {
        busy: (run) => {
          running.open();
          return untilStopped(run).catch((error: unknown) => {
            why.resolve(error);
            throw error;
          });
        },
      },
    });
    const { id } = await bed.enqueue('busy');
    await running.opened;
    await write(bed.store, id, { worker_id: 'worker_other', fence: 7 });
    expect(await why.promise).toMatchObject({ why: 'lease_lost' });
    expect(await bed.row(id)).toMatchObject({ state: 'running', worker_id: 'worker_other', fence: 7 });
  });

  test('a living worker keeps its task far beyond the first lease', async () => {
    const clock = new TestClock();
    const limits = { leaseMs: 1_000, renewMs: 20 };
    const go = gate();
    let ran = 0;
    const bed = await openBed(open, {
      now: clock.now,
      limits,
      scripts: {
        long: async () => {
          ran += 1;
          await go.opened;
        },
      },
    });
    await openBed(open, { now: clock.now, limits, scripts: { long: async () => (ran += 1) } });
    const { id } = await bed.enqueue('long');
    for (let turn = 1; turn <= 5; turn += 1) {
      clock.turn(limits.leaseMs - 1);
      const renewed = clock.now() + limits.leaseMs;
      await eventually(async () => expect((await bed.row(id)).lease_until).toBe(renewed));
    }
    go.open();
    await bed.ended(id);
    expect(ran).toBe(1);
  });

  test('a lease whose row somebody writes is not renewed by that, and is soon after', async () => {
    const clock = new TestClock();
    const running = gate();
    const store = await open();
    const holder = await open();
    let held: string | undefined;
    const transaction: Store['transaction'] = (work, options) => {
      const id = held;
      // Where one writes at a time, nobody can be writing the row just then.
      if (id === undefined || options?.lane !== 'ending' || engine === 'sqlite')
        return store.transaction(work, options);
      held = undefined;
      return holder.transaction(async (tx) => {
        const row = tx.db<TaskTables>().updateTable('tasks').where('id', '=', id);
        await row.set({ status_message: 'Written just then.' }).execute();
        return store.transaction(work, options);
      });
    };
    const bed = await openBed(open, {
      now: clock.now,
      store: { ...store, transaction },
      limits: { renewMs: HOUR_MS, takeoverMs: HOUR_MS },
      scripts: {
        job: (run) => {
          running.open();
          return untilStopped(run);
        },
      },
    });
    const { id } = await bed.enqueue('job');
    await running.opened;
    clock.turn(1);
    const until = clock.now() + DEFAULT_TASK_LIMITS.leaseMs;
    const workerId = (await bed.row(id)).worker_id ?? '';
    const renew = () => renewLeases(bed.store, workerId, { taskIds: [id], until });
    held = id;
    expect(await renew()).toMatchObject([{ id, isRenewed: engine === 'sqlite' }]);
    held = id;
    clock.turn(1);
    // All that makes this worker renew.
    await bed.store.signal.publish(CANCEL);
    await eventually(async () => expect((await bed.row(id)).lease_until).toBe(until + 1));
  });

  test('a task that writes steps is renewed with them', async () => {
    const clock = new TestClock();
    const limits = { renewMs: HOUR_MS, takeoverMs: HOUR_MS };
    const ends = gate();
    const wrote = gate();
    const bed = await openBed(open, {
      now: clock.now,
      limits,
      scripts: {
        job: async ({ io }) => {
          for (let step = 1; step <= 5; step += 1) {
            clock.turn(DEFAULT_TASK_LIMITS.leaseMs / 2);
            await io.step(`step ${step}`, () => step);
          }
          wrote.open();
          await ends.opened;
        },
      },
    });
    const { id } = await bed.enqueue('job');
    await wrote.opened;
    const { lease_until: until, fence } = await bed.row(id);
    expect({ until, fence }).toEqual({ until: clock.now() + DEFAULT_TASK_LIMITS.leaseMs, fence: 1 });
    ends.open();
    expect(await bed.ended(id)).toMatchObject({ status: 'completed' });
  });

  test('a task that ends its worker five times in a row is given up, the others are done', async () => {
    let ran = 0;
    const idle = await openBed(open);
    await idle.engine.stop();
    const making = await openBed(open, { kinds: [], limits: { runningPerProcess: 0 } });
    making.engine.register(scripted('poison', async () => undefined));
    making.engine.register(scripted('good', async () => undefined));
    const poison = await making.enqueue('poison');
    const good = await making.enqueue('good');
    for (let crash = 1; crash <= 5; crash += 1) {
      await leaveBehind(making.store, poison.id);
      await eventually(async () => expect(await making.row(poison.id)).toMatchObject({ crashes: crash }));
    }
    const bed = await openBed(open, {
      scripts: { poison: async () => (ran += 1), good: async () => 'done' },
    });
    const { status, error, statusMessage } = await bed.ended(poison.id);
    expect({ status, code: error?.code }).toEqual({ status: 'failed', code: -32603 });
    expect(statusMessage).toContain('5 times');
    expect((await bed.ended(good.id)).result).toBe('done');
    expect(ran).toBe(0);
  });

  test.each([
    ['cannot be reached', new StoreUnavailableError('lost')],
    ['ends a statement that took too long', driverError('57014')],
    ['found two writers in conflict', driverError('40001')],
    ['says what nobody has heard of', driverError('XX000')],
  ])('a database that %s for a moment fails no task and runs no step again', async (_name, error) => {
    const faulty = withFaults(await open(), error);
    let ran = 0;
    const bed = await openBed(open, {
      store: faulty.store,
      scripts: {
        job: ({ io }) =>
          io.step('one', () => {
            ran += 1;
            faulty.failTimes(2);
            return 'done';
          }),
      },
    });
    const { id } = await bed.enqueue('job');
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    expect({ ran, faults: bed.faults }).toEqual({ ran: 1, faults: [] });
  });

  test("what cannot be written for long is nobody's fault: the task goes back, whatever its code makes of it", async () => {
    const faulty = withFaults(await open(), driverError('57014'));
    let ran = 0;
    const bed = await openBed(open, {
      store: faulty.store,
      limits: { rewriteMs: 60 },
      scripts: {
        job: async ({ io }) => {
          const step = io.step('one', () => {
            ran += 1;
            if (ran === 1) faulty.failTimes(Infinity);
            return 'done';
          });
          return step.catch(() => 'Internal error');
        },
      },
    });
    const { id } = await bed.enqueue('job');
    await eventually(() => expect(bed.faults).toMatchObject([{ name: 'UnwrittenError' }]));
    faulty.failTimes(0);
    expect(await bed.row(id)).toMatchObject({ state: 'running', outcome: null });
    await lapse(bed.store, id);
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(ran).toBe(2);
  });

  test('a process that was paused past its leases renews them first and runs nothing twice', async () => {
    const clock = new TestClock();
    const go = gate();
    let ran = 0;
    const bed = await openBed(open, {
      now: clock.now,
      limits: { renewMs: HOUR_MS, takeoverMs: 20 },
      scripts: {
        long: async () => {
          ran += 1;
          await go.opened;
        },
      },
    });
    const { id } = await bed.enqueue('long');
    await eventually(() => expect(ran).toBe(1));
    clock.turn(DAY_MS);
    await eventually(async () => expect((await bed.row(id)).lease_until).toBeGreaterThan(clock.ms));
    go.open();
    expect((await bed.ended(id)).status).toBe('completed');
    expect({ ran, fence: (await bed.row(id)).fence }).toEqual({ ran: 1, fence: 1 });
  });

  test('a task whose worker died after the cancel ends cancelled', async () => {
    const making = await openBed(open, {
      limits: { runningPerProcess: 0, takeoverMs: HOUR_MS },
      scripts: { job: async () => 'done' },
    });
    const { id } = await making.enqueue('job');
    await leaveBehind(making.store, id);
    await making.engine.cancel({ organizationId: 'org_test', ownerId: 'caller_test' }, id, 'Not needed.');
    const bed = await openBed(open, { scripts: { job: async () => 'done' } });
    expect(await bed.ended(id)).toMatchObject({ status: 'cancelled', statusMessage: 'Not needed.' });
  });

  test('a task of another version is left alone, and given up after a day without a worker for it', async () => {
    const clock = new TestClock();
    const old = await openBed(open, {
      now: clock.now,
      limits: { runningPerProcess: 0 },
      kinds: [scripted('job', async () => 'old', 1)],
    });
    const { id } = await old.enqueue('job');
    await old.engine.stop();
    let ran = 0;
    const bed = await openBed(open, {
      now: clock.now,
      limits: { purgeEveryMs: 20 },
      kinds: [scripted('job', async () => (ran += 1), 2)],
    });
    clock.turn(DAY_MS - 1);
    expect(await bed.ended((await bed.enqueue('job')).id)).toMatchObject({ result: 1 });
    expect((await bed.get(id)).status).toBe('working');
    clock.turn(2);
    const ended = await bed.ended(id);
    expect(ended).toMatchObject({ status: 'failed', error: { code: -32603 } });
    expect(ended.statusMessage).toContain('version 1 of "job"');
    expect(ran).toBe(1);
  });
});
