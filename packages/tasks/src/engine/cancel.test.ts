/** Cancelling: at once when nothing runs, by the signal when something does, by force when that is ignored. */
import { testCaller } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { gate, openBed, OWNER, question, untilStopped } from '../../test/engine-bed.ts';
import type { Script } from '../../test/engine-bed.ts';

const WHY = 'Ada does not need it any more.';
const HOUR_MS = 3_600_000;

const waiting: Record<string, Script> = {
  asking: ({ io }) => io.request('who', question('Who?')),
  sleeping: ({ io }) => io.sleep('night', HOUR_MS),
};

onBothEngines('cancelling', (open) => {
  test.each(['asking', 'sleeping'])('a task that is %s is cancelled at once', async (kind) => {
    const bed = await openBed(open, { scripts: waiting });
    const { id } = await bed.enqueue(kind);
    await eventually(async () => expect((await bed.row(id)).worker_id).toBeNull());
    await bed.engine.cancel(OWNER, id, WHY);
    expect(await bed.get(id)).toMatchObject({ status: 'cancelled', statusMessage: WHY, inputRequests: {} });
  });

  test('a task that waits for its turn is cancelled and never runs', async () => {
    let ran = 0;
    const bed = await openBed(open, { scripts: { later: async () => (ran += 1) } });
    const { id } = await bed.enqueue('later', { runAt: Date.now() + HOUR_MS });
    await bed.engine.cancel(OWNER, id, WHY);
    expect((await bed.get(id)).status).toBe('cancelled');
    expect(ran).toBe(0);
  });

  test('a running task hears of it through its signal, and a second cancel keeps the first reason', async () => {
    const running = gate();
    const bed = await openBed(open, {
      scripts: {
        busy: (run) => {
          running.open();
          return run.io.step('wait', () => untilStopped(run));
        },
      },
    });
    const { id } = await bed.enqueue('busy');
    await running.opened;
    await Promise.all([
      bed.engine.cancel(OWNER, id, WHY),
      bed.engine.cancel(OWNER, id, WHY),
      bed.engine.cancel(OWNER, id, WHY),
    ]);
    expect(await bed.ended(id)).toMatchObject({ status: 'cancelled', statusMessage: WHY, result: null });
    await bed.engine.cancel(OWNER, id, 'Another reason.');
    expect((await bed.get(id)).statusMessage).toBe(WHY);
  });

  test('a task that runs in another process hears of it, by signal and without', async () => {
    const running = gate();
    const bed = await openBed(open, {
      limits: { renewMs: 50 },
      scripts: {
        busy: (run) => {
          running.open();
          return untilStopped(run);
        },
      },
    });
    const other = await openBed(open);
    const { id } = await bed.enqueue('busy');
    await running.opened;
    await other.engine.cancel(OWNER, id, WHY);
    expect(await other.ended(id)).toMatchObject({ status: 'cancelled', statusMessage: WHY });
    const second = await bed.enqueue('busy');
    await bed.store
      .db<{ tasks: { id: string; cancel_reason: string } }>()
      .updateTable('tasks')
      .set({ cancel_reason: 'The signal was lost.' })
      .where('id', '=', second.id)
      .execute();
    expect(await bed.ended(second.id)).toMatchObject({ statusMessage: 'The signal was lost.' });
  });

  test('code that ignores the signal is cut off, and what it does later changes nothing', async () => {
    const running = gate();
    const go = gate();
    const later = Promise.withResolvers<unknown>();
    let ran = 0;
    const bed = await openBed(open, {
      limits: { graceMs: 20, progressEveryMs: 1 },
      scripts: {
        deaf: async ({ io }) => {
          running.open();
          await go.opened;
          await io.progress(9, 10, 'after the end');
          await io.step('late', () => (ran += 1)).catch(later.resolve);
          return 'a result';
        },
      },
    });
    const { id } = await bed.enqueue('deaf');
    await running.opened;
    await bed.engine.cancel(OWNER, id, WHY);
    const cancelled = await bed.ended(id);
    expect(cancelled).toMatchObject({ status: 'cancelled', statusMessage: WHY });
    const told: unknown[] = [];
    bed.engine.watch(id, (change) => told.push(change));
    go.open();
    expect(await later.promise).toBeInstanceOf(Error);
    expect(await bed.get(id)).toEqual(cancelled);
    expect(ran).toBe(0);
    expect(told).toEqual([]);
  });

  test('work that ends first keeps its end', async () => {
    const running = gate();
    const go = gate();
    const bed = await openBed(open, {
      scripts: {
        quick: async () => {
          running.open();
          await go.opened;
          return 'done';
        },
      },
    });
    const { id } = await bed.enqueue('quick');
    await running.opened;
    go.open();
    await bed.ended(id);
    const before = await bed.engine.cancel(OWNER, id, WHY);
    expect(before?.status).toBe('completed');
    expect(await bed.get(id)).toMatchObject({ status: 'completed', result: 'done', statusMessage: null });
  });

  test('children go with their parent and are announced; strangers and finished ones stay', async () => {
    const bed = await openBed(open, { scripts: { ...waiting, done: async () => 'done' } });
    const parent = await bed.enqueue('asking');
    const child = await bed.enqueue('sleeping', { parentId: parent.id });
    const grandchild = await bed.enqueue('asking', { parentId: child.id });
    const finished = await bed.enqueue('done', { parentId: parent.id });
    const stranger = await bed.enqueue('asking');
    await bed.ended(finished.id);
    const told = gate();
    bed.engine.watch(grandchild.id, () => told.open());
    await bed.engine.cancel(OWNER, parent.id, WHY);
    for (const { id } of [parent, child, grandchild]) {
      expect(await bed.ended(id)).toMatchObject({ status: 'cancelled', statusMessage: WHY });
    }
    await told.opened;
    expect((await bed.get(finished.id)).status).toBe('completed');
    await eventually(async () => expect((await bed.get(stranger.id)).status).toBe('input_required'));
  });

  test('cancelling while tasks park, wake and are claimed never fails and always ends them', async () => {
    const bed = await openBed(open, {
      limits: { heldSleepMs: 0 },
      scripts: {
        restless: async ({ io }) => {
          for (let nap = 0; nap < 200; nap += 1) await io.sleep(`nap ${nap}`, 1);
        },
      },
    });
    const other = await openBed(open);
    const tasks = await Promise.all(Array.from({ length: 12 }, () => bed.enqueue('restless')));
    await Promise.all(
      tasks.map(async ({ id }, index) => {
        await eventually(async () => expect((await bed.row(id)).fence).toBeGreaterThan(index % 4));
        await (index % 2 === 0 ? bed : other).engine.cancel(OWNER, id, WHY);
      }),
    );
    for (const { id } of tasks) expect((await bed.ended(id)).status).toBe('cancelled');
    expect(bed.faults).toEqual([]);
  });

  test('a foreign owner sees, answers and cancels nothing', async () => {
    const bed = await openBed(open, { scripts: waiting });
    const { id } = await bed.enqueue('asking', { caller: testCaller() });
    await eventually(async () => expect((await bed.get(id)).status).toBe('input_required'));
    const foreign = [
      { ...OWNER, ownerId: 'caller_other' },
      { ...OWNER, organizationId: 'org_other' },
    ];
    for (const owner of foreign) {
      expect(await bed.engine.get(owner, id)).toBeUndefined();
      expect(await bed.engine.cancel(owner, id, WHY)).toBeUndefined();
      expect(await bed.engine.answer(owner, id, { who: { action: 'accept' } })).toBe(false);
      expect((await bed.engine.list(owner, { limit: 100 })).tasks).toEqual([]);
    }
    for (const invented of ['task_nobody', 'x', '', 'task_\0', '%']) {
      expect(await bed.engine.get(OWNER, invented)).toBeUndefined();
      expect(await bed.engine.cancel(OWNER, invented, WHY)).toBeUndefined();
      expect(await bed.engine.answer(OWNER, invented, {})).toBe(false);
    }
    expect((await bed.get(id)).status).toBe('input_required');
  });
});
