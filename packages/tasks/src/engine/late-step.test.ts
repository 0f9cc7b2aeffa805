/** Steps of a worker whose lease may be over: it does nothing more before it knows that the task is still its own. */
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { gate, openBed, TestClock } from '../../test/engine-bed.ts';
import { DEFAULT_TASK_LIMITS } from '../limits.ts';

const HOUR_MS = 3_600_000;
/** A worker that is frozen: it renews nothing and looks for nothing. */
const FROZEN = { renewMs: HOUR_MS, takeoverMs: HOUR_MS, runningPerProcess: 1 };
const { leaseMs } = DEFAULT_TASK_LIMITS;

onBothEngines('steps after a lease', (open) => {
  test('a worker that wakes after its lease begins no step that another one has finished', async () => {
    const clock = new TestClock();
    const asleep = gate();
    const wakes = gate();
    const gaveUp = gate();
    const ran: string[] = [];
    const frozen = await openBed(open, {
      limits: FROZEN,
      now: clock.now,
      scripts: {
        walk: async ({ io }) => {
          await io.step('one', () => ran.push('one'));
          asleep.open();
          await wakes.opened;
          // Without the signal: nobody has told this worker anything yet.
          await io.step('two', () => ran.push('two again')).finally(gaveUp.open);
        },
      },
    });
    const { id } = await frozen.enqueue('walk');
    await asleep.opened;
    clock.turn(leaseMs + 1);
    const other = await openBed(open, {
      now: clock.now,
      store: frozen.store,
      scripts: {
        walk: async ({ io }) => {
          await io.step('one', () => ran.push('one again'));
          await io.step('two', () => ran.push('two'));
          return 'done';
        },
      },
    });
    expect(await other.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    wakes.open();
    await gaveUp.opened;
    expect(ran).toEqual(['one', 'two']);
    expect(await other.get(id)).toMatchObject({ status: 'completed', result: 'done' });
  });

  test('a worker on a machine that slept begins no such step either, though its clock stood still too', async () => {
    const clock = new TestClock();
    const asleep = gate();
    const wakes = gate();
    const gaveUp = gate();
    const ran: string[] = [];
    const store = await open();
    let isInterrupted = false;
    const signal = { ...store.signal, isBroken: () => isInterrupted };
    const sleeper = await openBed(open, {
      limits: FROZEN,
      store: { ...store, signal },
      scripts: {
        walk: async ({ io }) => {
          asleep.open();
          await wakes.opened;
          await io.step('one', () => ran.push('one again')).finally(gaveUp.open);
        },
      },
      now: clock.now,
    });
    const { id } = await sleeper.enqueue('walk');
    await asleep.opened;
    const other = await openBed(open, {
      now: () => clock.ms + leaseMs + 1,
      scripts: { walk: ({ io }) => io.step('one', () => ran.push('one')) },
    });
    expect(await other.ended(id)).toMatchObject({ status: 'completed' });
    isInterrupted = true;
    wakes.open();
    await gaveUp.opened;
    expect(ran).toEqual(['one']);
  });

  test('a worker that is late and still has its task goes on with a new lease', async () => {
    const clock = new TestClock();
    const asleep = gate();
    const wakes = gate();
    const during = gate();
    const ends = gate();
    const bed = await openBed(open, {
      limits: FROZEN,
      now: clock.now,
      scripts: {
        walk: async ({ io }) => {
          await io.step('one', () => 1);
          asleep.open();
          await wakes.opened;
          await io.step('two', async () => {
            during.open();
            await ends.opened;
          });
          return 'done';
        },
      },
    });
    const { id } = await bed.enqueue('walk');
    await asleep.opened;
    clock.turn(leaseMs + 1);
    wakes.open();
    await during.opened;
    expect(await bed.row(id)).toMatchObject({ state: 'running', lease_until: clock.ms + leaseMs });
    ends.open();
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
  });
});
