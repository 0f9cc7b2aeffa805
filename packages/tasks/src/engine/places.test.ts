/** Places: what is counted is what runs, whatever happens to tasks, and whoever has none waits for its turn. */
import { testCaller } from '@parley/kit/testing';
import type { Store } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { seededRandom } from '@parley/test-support/random';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Script } from '../../test/engine-bed.ts';
import { gate, openBed, question, TestClock } from '../../test/engine-bed.ts';
import type { TaskTables } from '../schema.ts';

const HOUR_MS = 3_600_000;

interface Count {
  readonly owner: string;
  readonly running: number;
}

/** What the rows of places say, and what the tasks themselves do. */
async function counts(store: Store): Promise<{ readonly told: Count[]; readonly real: Count[] }> {
  const key = sql<string>`pool || ' ' || organization_id || ' ' || owner_id`.as('owner');
  const told = await store
    .db<TaskTables>()
    .selectFrom('task_places')
    .select([key, 'running'])
    .where('running', '!=', 0)
    .orderBy('owner')
    .execute();
  const of = (owner: string) =>
    sql<Count>`select pool || ' ' || organization_id || ' ' || ${sql.raw(owner)} as owner, count(*) as running
      from tasks where state = 'running' group by 1`.execute(store.db());
  const real = [...(await of('owner_id')).rows, ...(await of(`''`)).rows].toSorted((left, right) =>
    left.owner < right.owner ? -1 : 1,
  );
  return { told: told.toSorted((left, right) => (left.owner < right.owner ? -1 : 1)), real };
}

const of = (id: string, organizationId = 'org_test') => ({ caller: testCaller({ id, organizationId }) });

onBothEngines('places', (open) => {
  test('the counts are those of the rows after any mix of what tasks do, in two processes', async () => {
    const random = seededRandom();
    const scripts: Record<string, Script> = {
      end: async () => 'done',
      step: ({ io }) => io.step('one', () => 'done'),
      nap: ({ io }) => io.sleep('nap', 1),
      ask: ({ io }) => io.request('who', question('Who?')),
      fail: () => Promise.reject(new Error('It fails.')),
      hang: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
    };
    const limits = { runningPerOwner: 3, runningPerOrganization: 5, runningPerProcess: 6, heldSleepMs: 0 };
    const beds = [await openBed(open, { limits, scripts }), await openBed(open, { limits, scripts })];
    const made: { readonly id: string; readonly owner: string }[] = [];
    for (let round = 0; round < 40; round += 1) {
      const bed = beds[round % 2]!;
      const owner = `owner ${Math.floor(random() * 3)}`;
      const kinds = Object.keys(scripts);
      const batch = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
        bed.enqueue(kinds[Math.floor(random() * kinds.length)]!, of(owner)),
      );
      for (const { id } of await Promise.all(batch)) made.push({ id, owner });
      const some = made[Math.floor(random() * made.length)]!;
      if (random() < 0.5)
        await beds[(round + 1) % 2]!.engine.cancel(
          { organizationId: 'org_test', ownerId: some.owner },
          some.id,
          'Enough.',
        );
      if (random() < 0.2)
        await bed.store
          .db<TaskTables>()
          .updateTable('tasks')
          .set({ lease_until: 1 })
          .where('id', '=', some.id)
          .where('state', '=', 'running')
          .execute();
      const { told } = await counts(bed.store);
      for (const { owner: who, running } of told)
        expect(running).toBeLessThanOrEqual(who.endsWith(' ') ? 5 : 3);
    }
    for (const { id, owner } of made)
      await beds[0]!.engine.cancel({ organizationId: 'org_test', ownerId: owner }, id, 'All of them.');
    await eventually(async () => {
      const { told, real } = await counts(beds[0]!.store);
      expect(real).toEqual([]);
      expect(told).toEqual([]);
    });
    await beds[0]!.store.db<TaskTables>().deleteFrom('tasks').execute();
    expect(await counts(beds[0]!.store)).toEqual({ told: [], real: [] });
  });

  test('a place is given back by parking, ending, stopping and by the row that goes', async () => {
    const go = gate();
    const bed = await openBed(open, {
      scripts: { hold: () => go.opened, ask: ({ io }) => io.request('who', question('Who?')) },
    });
    const removed = await bed.enqueue('hold');
    const held = await bed.enqueue('hold');
    const asking = await bed.enqueue('ask');
    await eventually(async () => expect((await bed.row(asking.id)).state).toBe('asking'));
    expect(await counts(bed.store)).toEqual({
      told: [
        { owner: 'caller org_test ', running: 2 },
        { owner: 'caller org_test caller_test', running: 2 },
      ],
      real: [
        { owner: 'caller org_test ', running: 2 },
        { owner: 'caller org_test caller_test', running: 2 },
      ],
    });
    await bed.store.db<TaskTables>().deleteFrom('tasks').where('id', '=', removed.id).execute();
    expect((await counts(bed.store)).told.map(({ running }) => running)).toEqual([1, 1]);
    go.open();
    await bed.ended(held.id);
    expect(await counts(bed.store)).toEqual({ told: [], real: [] });
  });

  test('an owner whose tasks cannot run keeps nobody in the line behind it', async () => {
    const go = gate();
    const order: string[] = [];
    const bed = await openBed(open, {
      limits: { runningPerOwner: 1, runningPerProcess: 2 },
      scripts: {
        hold: () => go.opened,
        job: async ({ owner }) => {
          order.push(owner.ownerId);
        },
      },
    });
    await bed.enqueue('hold', of('stuck'));
    const waiting = await Promise.all(Array.from({ length: 5 }, () => bed.enqueue('job', of('stuck'))));
    const blocker = gate();
    bed.engine.register({
      kind: 'blocker',
      version: 1,
      run: async () => {
        await blocker.opened;
        return { outcome: 'completed', result: null };
      },
    });
    await bed.enqueue('blocker', of('z'));
    const many = await Promise.all(Array.from({ length: 6 }, () => bed.enqueue('job', of('many'))));
    const one = await bed.enqueue('job', of('one'));
    blocker.open();
    for (const { id } of many) await bed.ended(id, { organizationId: 'org_test', ownerId: 'many' });
    await bed.ended(one.id, { organizationId: 'org_test', ownerId: 'one' });
    expect(order.slice(0, 2).toSorted()).toEqual(['many', 'one']);
    expect(order).not.toContain('stuck');
    go.open();
    for (const { id } of waiting) await bed.ended(id, { organizationId: 'org_test', ownerId: 'stuck' });
  });

  test('a clock that was set back puts off no task that waits for no time', async () => {
    const clock = new TestClock();
    const making = await openBed(open, {
      now: clock.now,
      limits: { runningPerProcess: 0 },
      scripts: { job: async () => 'done' },
    });
    const { id } = await making.enqueue('job');
    clock.turn(-HOUR_MS);
    const bed = await openBed(open, { now: clock.now, scripts: { job: async () => 'done' } });
    expect((await bed.ended(id)).status).toBe('completed');
  });
});
