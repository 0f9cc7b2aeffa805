/** The fault "kill -9 of a worker": every task ends once with the right result, and finished steps stay finished. */
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { LATER, openFaultBed, OWNER } from './tasks-bed.ts';
import type { JobInput, Report } from './tasks-program.ts';

const isAt =
  (id: string) =>
  (report: Report): report is Extract<Report, { at: string }> =>
    'at' in report && report.id === id;

const MINUTE_MS = 60_000;

/** Where each task is when the process dies, and which effects it has in the end. */
const PLACES: Record<string, { input: JobInput; effects: string[] }> = {
  'before the first step': { input: { hangAt: 'entered' }, effects: ['one', 'two'] },
  'inside a step': { input: { hangAt: 'inside' }, effects: ['one', 'one', 'two'] },
  'between steps': { input: { hangAt: 'between' }, effects: ['one', 'two'] },
  'inside a later step': { input: { hangAt: 'inside two' }, effects: ['one', 'two', 'two'] },
  'in a held sleep': { input: { sleepMs: 20 * MINUTE_MS }, effects: ['one', 'two'] },
  'in a parked sleep': { input: { sleepMs: 40 * MINUTE_MS }, effects: ['one', 'two'] },
  'waiting for an answer': { input: { asks: true }, effects: ['one', 'two'] },
  'waiting for a retry': { input: { failsOnce: true }, effects: ['one', 'two', 'two'] },
};

onBothEngines('kill -9 of a worker', (open, _engine, where) => {
  test('wherever its tasks are, another one finishes them and repeats no finished step', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first', { mayHang: true });
    const tasks = await Promise.all(
      Object.entries(PLACES).map(async ([place, { input, effects }]) => {
        const { id, createdAt } = await bed.enqueue(input);
        return { place, id, input, effects, createdAt };
      }),
    );
    for (const { id, input } of tasks) {
      if (input.hangAt !== undefined) await first.heard(isAt(id));
      else if (input.asks)
        await eventually(async () => expect((await bed.get(id)).status).toBe('input_required'));
      else await eventually(async () => expect(await bed.isWaiting(id)).toBe(true));
    }
    await first.kill();
    const asking = tasks.find(({ input }) => input.asks)!;
    expect(Object.keys((await bed.get(asking.id)).inputRequests)).toEqual(['who']);
    await bed.work('second', LATER);
    expect(Object.keys((await bed.get(asking.id)).inputRequests)).toEqual(['who']);
    await bed.observer.answer(OWNER, asking.id, { who: { action: 'accept' } });
    for (const { place, id, input, effects, createdAt } of tasks) {
      const { status, result, finishedAt } = await bed.ended(id);
      const answer = input.asks ? { action: 'accept' } : null;
      expect({ place, status, result }).toEqual({
        place,
        status: 'completed',
        result: { answer, two: 'second' },
      });
      expect({ place, effects: bed.effects(id) }).toEqual({ place, effects });
      expect(finishedAt! - createdAt).toBeGreaterThanOrEqual(input.sleepMs ?? 0);
    }
  });

  test('an acknowledged answer is not lost', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first');
    const { id } = await bed.enqueue({ asks: true });
    await eventually(async () => expect((await bed.get(id)).status).toBe('input_required'));
    first.tell({ do: 'answer', id });
    await first.gone;
    await bed.work('second', LATER);
    expect(await bed.ended(id)).toMatchObject({ result: { answer: { action: 'accept' } } });
    expect(bed.effects(id)).toEqual(['one', 'two']);
  });

  test('an acknowledged cancel of a running task ends it cancelled', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first', { mayHang: true });
    const { id } = await bed.enqueue({ hangAt: 'inside' });
    await first.heard(isAt(id));
    first.tell({ do: 'cancel', id });
    await first.gone;
    await bed.work('second', LATER);
    expect(await bed.ended(id)).toMatchObject({
      status: 'cancelled',
      statusMessage: 'Not needed any more.',
    });
    expect(bed.effects(id)).toEqual(['one']);
  });

  test('a stored result is the same for everybody afterwards', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first');
    const { id } = await bed.enqueue({});
    first.tell({ do: 'die when final', id });
    await first.gone;
    const stored = await bed.ended(id);
    const second = await bed.work('second', LATER);
    const other = await bed.enqueue({});
    await bed.ended(other.id);
    expect(second.child.exitCode).toBeNull();
    expect(await bed.get(id)).toEqual(stored);
    expect(bed.effects(id)).toEqual(['one', 'two']);
  });

  test('a task that ends every worker is given up after five of them, and the others are done', async () => {
    const bed = await openFaultBed(open, where);
    const poison = await bed.enqueue({ isPoison: true });
    const good = await bed.enqueue({ hangAt: 'inside' });
    for (let crash = 1; crash <= 5; crash += 1) {
      // The other task is under way in the first three of them, and could be the one to blame.
      const aheadMs = crash * LATER.aheadMs;
      const worker = await bed.work(`worker ${crash}`, { mayHang: crash <= 3, aheadMs });
      await worker.gone;
      expect(bed.effects(poison.id)).toHaveLength(crash);
    }
    await bed.work('last', { aheadMs: 6 * LATER.aheadMs });
    expect(await bed.ended(poison.id)).toMatchObject({ status: 'failed', error: { code: -32603 } });
    expect(await bed.ended(good.id)).toMatchObject({ status: 'completed' });
    expect(bed.effects(poison.id)).toHaveLength(5);
  });

  test('a task whose maker dies before the reply exists once and runs once', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first', { mayHang: true });
    first.tell({ do: 'enqueue', input: { hangAt: 'entered' }, key: 'once', thenDie: true });
    await first.gone;
    const second = await bed.work('second', LATER);
    second.tell({ do: 'enqueue', input: {}, key: 'once' });
    const { made: id } = await second.heard(
      (report): report is Extract<Report, { made: string }> => 'made' in report,
    );
    expect((await bed.ended(id)).status).toBe('completed');
    expect((await bed.observer.list(OWNER, { limit: 10 })).tasks.map((task) => task.id)).toEqual([id]);
    expect(bed.effects(id)).toEqual(['one', 'two']);
  });
});
