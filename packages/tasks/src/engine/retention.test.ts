/** Retention and lists: what is kept for how long, what one key makes once, and pages that lose nothing. */
import { testCaller } from '@parley/kit/testing';
import type { Store } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { openBed, OWNER, question, TestClock } from '../../test/engine-bed.ts';
import type { TaskTables } from '../schema.ts';
import { purgeExpired } from './purge.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

onBothEngines('retention', (open) => {
  test('a finished task is readable until its time is over, then gone with its steps', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, {
      now: clock.now,
      limits: { purgeEveryMs: 20 },
      scripts: { job: ({ io }) => io.step('one', () => 'done') },
    });
    const { id } = await bed.enqueue('job', { ttlMs: 2 * 60 * MINUTE_MS });
    const { ttlMs, expiresAt } = await bed.ended(id);
    expect({ ttlMs, expiresAt }).toEqual({ ttlMs: 120 * MINUTE_MS, expiresAt: clock.ms + 120 * MINUTE_MS });
    clock.turn(120 * MINUTE_MS - 1);
    expect((await bed.get(id)).result).toBe('done');
    clock.turn(1);
    expect(await bed.engine.get(OWNER, id)).toBeUndefined();
    expect((await bed.engine.list(OWNER, { limit: 10 })).tasks).toEqual([]);
    expect(await bed.engine.answer(OWNER, id, {})).toBe(false);
    expect(await bed.engine.cancel(OWNER, id, 'Late.')).toBeUndefined();
    clock.turn(1);
    await eventually(async () => {
      const db = bed.store.db<TaskTables>();
      expect(await db.selectFrom('tasks').select('id').execute()).toEqual([]);
      expect(await db.selectFrom('task_steps').select('step_key').execute()).toEqual([]);
    });
  });

  test('a purge takes the oldest first, until all that is past its time is gone', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, { now: clock.now, scripts: { job: async () => 'done' } });
    const ids: string[] = [];
    for (let task = 0; task < 45; task += 1) ids.push((await bed.enqueue('job')).id);
    for (const id of ids) await bed.ended(id);
    const db = bed.store.db<TaskTables>();
    // Made in another order than they end, with some that end together.
    const oldestFirst = ids.toReversed();
    for (const [index, id] of oldestFirst.entries())
      await db
        .updateTable('tasks')
        .set({ expires_at: clock.ms - 100 + Math.floor(index / 2) })
        .where('id', '=', id)
        .execute();
    const kept = await bed.enqueue('job');
    await bed.ended(kept.id);
    const left = async () => (await db.selectFrom('tasks').select('id').execute()).map(({ id }) => id);
    const stopping = new AbortController();
    const transaction: Store['transaction'] = (work, options) => {
      stopping.abort();
      return bed.store.transaction(work, options);
    };
    await purgeExpired({ ...bed.store, transaction }, clock.ms, stopping.signal);
    expect((await left()).toSorted()).toEqual([...oldestFirst.slice(20), kept.id].toSorted());
    await purgeExpired(bed.store, clock.ms, new AbortController().signal);
    expect(await left()).toEqual([kept.id]);
  });

  test('a task with a short time is kept a quarter of an hour after its end', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, { now: clock.now, scripts: { job: async () => 'done' } });
    const { id } = await bed.enqueue('job', { ttlMs: 1 });
    const { ttlMs } = await bed.ended(id);
    expect(ttlMs).toBe(15 * MINUTE_MS);
    clock.turn(15 * MINUTE_MS - 1);
    expect((await bed.get(id)).status).toBe('completed');
  });

  test('an unfinished task outlives its time, and what it promises grows with it', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, {
      now: clock.now,
      limits: { purgeEveryMs: 20, answerMs: 100 * DAY_MS, keepFinishedMs: 5 * MINUTE_MS },
      scripts: { ask: ({ io }) => io.request('who', question('Who?')) },
    });
    const { id } = await bed.enqueue('ask', { ttlMs: MINUTE_MS });
    await eventually(async () => expect((await bed.get(id)).status).toBe('input_required'));
    clock.turn(40 * DAY_MS);
    const { ttlMs, status } = await bed.get(id);
    expect({ ttlMs, status }).toEqual({ ttlMs: 40 * DAY_MS + 5 * MINUTE_MS, status: 'input_required' });
    expect((await bed.engine.list(OWNER, { limit: 10 })).tasks).toMatchObject([{ id, ttlMs }]);
    await bed.engine.cancel(OWNER, id, 'Enough.');
    expect((await bed.get(id)).ttlMs).toBe(ttlMs);
  });

  test('one idempotency key makes one task per owner, also side by side in two processes', async () => {
    let ran = 0;
    const scripts = { job: async () => (ran += 1) };
    const beds = [await openBed(open, { scripts }), await openBed(open, { scripts })];
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, index) => beds[index % 2]!.enqueue('job', { idempotencyKey: 'once' })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const other = await beds[0]!.enqueue('job', {
      idempotencyKey: 'once',
      caller: testCaller({ id: 'other' }),
    });
    expect(other.id).not.toBe(made[0]!.id);
    await beds[0]!.ended(made[0]!.id);
    await beds[0]!.ended(other.id, { ...OWNER, ownerId: 'other' });
    expect(ran).toBe(2);
  });

  test('an idempotency key is free again when its task is past its time', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, { now: clock.now, scripts: { job: async () => 'done' } });
    const first = await bed.enqueue('job', { idempotencyKey: 'once' });
    await bed.ended(first.id);
    clock.turn(DAY_MS);
    const second = await bed.enqueue('job', { idempotencyKey: 'once' });
    expect(second.id).not.toBe(first.id);
    expect((await bed.ended(second.id)).result).toBe('done');
  });

  test('pages over a growing list neither skip nor repeat, and show no foreign task', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, { now: clock.now, scripts: { job: async () => 'done' } });
    const old = new Set<string>();
    for (let task = 0; task < 30; task += 1) {
      if (task % 4 === 0) clock.turn(1);
      old.add((await bed.enqueue('job')).id);
      await bed.enqueue('job', { caller: testCaller({ id: 'other' }) });
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      clock.turn(1);
      await Promise.all([bed.enqueue('job'), bed.enqueue('job')]);
      const page = await bed.engine.list(OWNER, { limit: 7, ...(cursor !== null && { cursor }) });
      expect(page.tasks.every(({ ownerId }) => ownerId === OWNER.ownerId)).toBe(true);
      seen.push(...page.tasks.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => old.has(id))).toHaveLength(30);
    for (const wrong of ['x', '', Buffer.from('9999999999999999999 task_a').toString('base64url')]) {
      await expect(bed.engine.list(OWNER, { limit: 7, cursor: wrong })).rejects.toMatchObject({
        code: 'invalid',
      });
    }
  });
});
