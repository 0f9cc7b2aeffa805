/** One idempotency key, many makers: they get one task, and none of them an error, whatever happens to it meanwhile. */
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import type { Script } from '../../test/engine-bed.ts';
import { openBed, TestClock } from '../../test/engine-bed.ts';
import { DEFAULT_TASK_LIMITS } from '../limits.ts';
import type { TaskTables } from '../schema.ts';

const PROCESSES = 3;
const ROUNDS = 24;

onBothEngines('makers of the same task', (open) => {
  test('get one while it begins, does a step and ends under their hands', async () => {
    const ran: unknown[] = [];
    const scripts: Record<string, Script> = {
      job: async ({ io }, input) => {
        await io.step('one', () => ran.push(input));
      },
    };
    const beds = await Promise.all(Array.from({ length: PROCESSES }, () => openBed(open, { scripts })));
    for (let round = 0; round < ROUNDS; round += 1) {
      const asked = { idempotencyKey: `key ${round}`, input: round };
      const made = await Promise.all(
        beds.flatMap((bed) => [bed.enqueue('job', asked), bed.enqueue('job', asked)]),
      );
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      await beds[0]!.ended(made[0]!.id);
    }
    expect(ran).toEqual(Array.from({ length: ROUNDS }, (_, round) => round));
    expect(beds.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test('get a new one together when the time of the old one is over', async () => {
    const clock = new TestClock();
    const options = { now: clock.now, scripts: { job: async () => 'done' } };
    const beds = await Promise.all(Array.from({ length: PROCESSES }, () => openBed(open, options)));
    let before: string | undefined;
    for (let round = 0; round < ROUNDS / 4; round += 1) {
      const asked = { idempotencyKey: 'key' };
      const made = await Promise.all(beds.map((bed) => bed.enqueue('job', asked)));
      const [id, ...others] = new Set(made.map((task) => task.id));
      expect(others).toEqual([]);
      expect(id).not.toBe(before);
      before = id;
      await beds[0]!.ended(id!);
      clock.turn(DEFAULT_TASK_LIMITS.maxTtlMs + 1);
    }
    const left = await beds[0]!.store.db<TaskTables>().selectFrom('tasks').select('id').execute();
    expect(left).toEqual([{ id: before }]);
    expect(beds.flatMap(({ faults }) => faults)).toEqual([]);
  });
});
