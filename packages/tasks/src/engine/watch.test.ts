/** Presence of workers: who is gone loses its tasks long before their leases end, who lives keeps them. */
import { onBothEngines } from '@parley/store/testing';
import type { Presence, Store } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { gate, openBed, TestClock, untilStopped } from '../../test/engine-bed.ts';
import type { TaskTables } from '../schema.ts';

const LEASE_MS = 3_600_000;
const GRACE_MS = 8_000;
/** Leases decide nothing here. */
const LIMITS = { leaseMs: LEASE_MS, renewMs: LEASE_MS, takeoverMs: LEASE_MS, presenceMs: 10 };
const DEAD = 'worker_held_dead';

/** A store whose presence says what the test says, whatever the engine. */
function withPresence(store: Store) {
  const said = { gone: [] as string[], missedMs: 0, looks: 0, isCut: false };
  const held: string[] = [];
  const presence: Presence = {
    isKept: true,
    graceMs: GRACE_MS,
    async hold(id) {
      held.push(id);
    },
    async leave(id) {
      held.splice(held.indexOf(id), 1);
    },
    async gone(ids) {
      said.looks += 1;
      return ids.filter((id) => said.gone.includes(id));
    },
    missedMs: () => said.missedMs,
  };
  const transaction: Store['transaction'] = (work, options) =>
    said.isCut ? Promise.reject(new Error('The network is cut.')) : store.transaction(work, options);
  return { store: { ...store, presence, transaction }, said, held };
}

async function leaveBehind(store: Store, id: string, workerId: string, leaseUntil: number): Promise<void> {
  await store
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ state: 'running', worker_id: workerId, lease_until: leaseUntil, fence: 1, turn: null })
    .where('id', '=', id)
    .execute();
}

onBothEngines('presence of workers', (open) => {
  test('a worker holds its name from its start to the end of its last task', async () => {
    const { store, held } = withPresence(await open());
    const running = gate();
    const ends = gate();
    const bed = await openBed(open, {
      store,
      limits: LIMITS,
      scripts: { job: ({ io }) => io.step('one', () => (running.open(), ends.opened)) },
    });
    await bed.enqueue('job');
    await running.opened;
    expect(held).toEqual([expect.stringMatching(/^worker_held_/)]);
    const stopped = bed.engine.stop();
    expect(held).toHaveLength(1);
    ends.open();
    await stopped;
    expect(held).toEqual([]);
  });

  test('the tasks of one who is gone are taken over at once, and nothing that it writes counts', async () => {
    const clock = new TestClock();
    const { store, said } = withPresence(await open());
    const making = await openBed(open, { limits: { ...LIMITS, runningPerProcess: 0 }, now: clock.now });
    making.engine.register({
      kind: 'job',
      version: 1,
      run: async () => ({ outcome: 'completed', result: 0 }),
    });
    const { id } = await making.enqueue('job');
    await leaveBehind(making.store, id, DEAD, clock.now() + LEASE_MS - GRACE_MS - 1);
    said.gone.push(DEAD);
    const bed = await openBed(open, {
      store,
      now: clock.now,
      limits: LIMITS,
      scripts: { job: async () => 'done' },
    });
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(await bed.row(id)).toMatchObject({ crashes: 1, fence: 3 });
  });

  test.each([
    ['one that renewed its lease while its lock was missed', DEAD, 0],
    ['one that was never to be missed, as of an older version', 'worker_old', LEASE_MS / 2],
  ])('%s keeps its task', async (_name, workerId, agoMs) => {
    const clock = new TestClock();
    const { store, said } = withPresence(await open());
    const making = await openBed(open, { limits: { ...LIMITS, runningPerProcess: 0 }, now: clock.now });
    making.engine.register({
      kind: 'job',
      version: 1,
      run: async () => ({ outcome: 'completed', result: 0 }),
    });
    const [kept, taken] = [await making.enqueue('job'), await making.enqueue('job')];
    await leaveBehind(making.store, kept.id, workerId, clock.now() + LEASE_MS - agoMs);
    await leaveBehind(making.store, taken.id, 'worker_held_other', clock.now() + LEASE_MS / 2);
    said.gone.push(workerId, 'worker_held_other');
    const bed = await openBed(open, {
      store,
      now: clock.now,
      limits: LIMITS,
      scripts: { job: async () => 'done' },
    });
    // Both were looked at together.
    expect(await bed.ended(taken.id)).toMatchObject({ status: 'completed' });
    expect(await bed.row(kept.id)).toMatchObject({ state: 'running', worker_id: workerId, fence: 1 });
  });

  test('who lost the lock alone renews at once, goes on, and runs nothing twice', async () => {
    const clock = new TestClock();
    const { store, said } = withPresence(await open());
    const running = gate();
    const ends = gate();
    let ran = 0;
    const bed = await openBed(open, {
      store,
      now: clock.now,
      limits: LIMITS,
      scripts: {
        job: (run) =>
          run.io.step('one', async () => {
            ran += 1;
            running.open();
            await Promise.race([ends.opened, untilStopped(run)]);
            return 'done';
          }),
      },
    });
    const { id } = await bed.enqueue('job');
    await running.opened;
    for (const missedMs of [1, GRACE_MS / 2, GRACE_MS * 2]) {
      clock.turn(1_000);
      said.missedMs = missedMs;
      await eventually(async () => expect((await bed.row(id)).lease_until).toBe(clock.now() + LEASE_MS));
    }
    ends.open();
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(ran).toBe(1);
  });

  test('who can say nothing to the database stops its runs before others may begin them, and not at once', async () => {
    const clock = new TestClock();
    const { store, said } = withPresence(await open());
    const running = gate();
    const why = Promise.withResolvers<unknown>();
    const bed = await openBed(open, {
      store,
      now: clock.now,
      limits: LIMITS,
      scripts: {
        job: (run) => {
          running.open();
          return untilStopped(run).catch((error: unknown) => {
            why.resolve(error);
            throw error;
          });
        },
      },
    });
    const { id } = await bed.enqueue('job');
    await running.opened;
    said.isCut = true;
    // Away for everybody for a day: nobody can have missed it.
    clock.turn(LEASE_MS / 2);
    const { looks } = said;
    await eventually(() => expect(said.looks).toBeGreaterThan(looks + 2));
    said.missedMs = 1_000;
    await eventually(() => expect(bed.faults.length).toBeGreaterThan(2));
    expect(await bed.row(id)).toMatchObject({ state: 'running', outcome: null });
    const soon = new Promise((resolve) => setImmediate(resolve, 'goes on'));
    expect(await Promise.race([why.promise, soon])).toBe('goes on');
    said.missedMs = GRACE_MS - 1;
    expect(await why.promise).toMatchObject({ why: 'lease_lost' });
    said.isCut = false;
    said.missedMs = 0;
    expect(await bed.row(id)).toMatchObject({ state: 'running', outcome: null, fence: 1 });
  });
});
