/** Limits: how much runs at once and for whom, how much waits, and what may be how large. */
import { testCaller } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Script } from '../../test/engine-bed.ts';
import { gate, openBed, OWNER, TestClock } from '../../test/engine-bed.ts';
import type { TaskTables } from '../schema.ts';
import { seeTask } from '../services/overview.ts';

/** Tasks that stay until they are let go, and a count of how many ran at once for whom. */
function counted() {
  const go = gate();
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  const started: string[] = [];
  const bump = (who: string, by: number) => {
    now.set(who, (now.get(who) ?? 0) + by);
    most.set(who, Math.max(most.get(who) ?? 0, now.get(who) ?? 0));
  };
  const script: Script = async ({ owner }) => {
    const names = [owner.ownerId, owner.organizationId, 'all'];
    started.push(owner.ownerId);
    for (const name of names) bump(name, 1);
    await go.opened;
    // Leaves the event loop, so that those who start too early are seen.
    await new Promise(setImmediate);
    for (const name of names) bump(name, -1);
  };
  return { go, most, started, script };
}

const of = (id: string, organizationId = 'org_test') => ({ caller: testCaller({ id, organizationId }) });

onBothEngines('limits', (open) => {
  test('an owner, an organization and a process run no more than they may, in two processes together', async () => {
    const { go, most, started, script } = counted();
    const limits = { runningPerOwner: 2, runningPerOrganization: 3, runningPerProcess: 4 };
    const beds = [
      await openBed(open, { limits, scripts: { job: script } }),
      await openBed(open, { limits, scripts: { job: script } }),
    ];
    const owners = ['a 1', 'a 2', 'b 1', 'b 2', 'c 1', 'c 2'];
    const tasks = await Promise.all(
      owners.flatMap((id, index) =>
        Array.from({ length: 4 }, () => beds[index % 2]!.enqueue('job', of(id, `org_${id[0]}`))),
      ),
    );
    await eventually(() => expect(started.length).toBeGreaterThanOrEqual(8));
    go.open();
    for (const { id, ownerId, organizationId } of tasks) {
      const ended = await beds[0]!.ended(id, { ownerId, organizationId });
      expect(ended.status).toBe('completed');
    }
    for (const owner of owners) expect(most.get(owner)).toBeLessThanOrEqual(2);
    for (const name of ['org_a', 'org_b', 'org_c']) expect(most.get(name)).toBeLessThanOrEqual(3);
    expect(most.get('all')).toBeLessThanOrEqual(8);
    expect(started).toHaveLength(24);
  });

  test('200 tasks of one owner do not keep another one waiting, and 16 of them run at once', async () => {
    const { go, most, started, script } = counted();
    const bed = await openBed(open, { scripts: { job: script } });
    const many = await Promise.all(Array.from({ length: 200 }, () => bed.enqueue('job', of('a'))));
    await bed.enqueue('job', of('b'));
    await eventually(() => expect(started).toContain('b'));
    // The places of the first are taken one after the other.
    await eventually(() => expect(started.filter((who) => who === 'a')).toHaveLength(16));
    go.open();
    for (const { id } of many) await bed.ended(id, { organizationId: 'org_test', ownerId: 'a' });
    expect(most.get('a')).toBe(16);
  });

  test('places that become free go round between owners', async () => {
    const order: string[] = [];
    const bed = await openBed(open, {
      limits: { runningPerProcess: 1, runningPerOwner: 1 },
      scripts: {
        job: async ({ owner }) => {
          order.push(owner.ownerId);
        },
      },
    });
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
    const tasks = [];
    for (const who of ['a', 'a', 'a', 'b', 'b', 'c']) tasks.push(await bed.enqueue('job', of(who)));
    blocker.open();
    for (const { id, ownerId, organizationId } of tasks) await bed.ended(id, { ownerId, organizationId });
    expect(order).toHaveLength(6);
    expect(new Set(order.slice(0, 3))).toEqual(new Set(['a', 'b', 'c']));
  });

  test('tasks of one owner start in their order, the more urgent ones first', async () => {
    const order: unknown[] = [];
    const bed = await openBed(open, { limits: { runningPerProcess: 0 } });
    bed.engine.register({
      kind: 'job',
      version: 1,
      run: async () => ({ outcome: 'completed', result: null }),
    });
    for (const [input, priority] of [
      [1, 0],
      [2, 0],
      [3, 5],
      [4, 0],
    ] as const) {
      await bed.enqueue('job', { input, priority, runAt: 1_000 + input });
    }
    const runner = await openBed(open, {
      limits: { runningPerProcess: 1 },
      scripts: { job: async (_run, input) => order.push(input) },
    });
    await eventually(() => expect(order).toEqual([3, 1, 2, 4]));
    expect(runner.faults).toEqual([]);
  });

  test('too many waiting tasks are refused with the limit, for that owner alone', async () => {
    const bed = await openBed(open, {
      limits: { waitingPerOwner: 3, runningPerProcess: 0 },
      scripts: { job: async () => 'done' },
    });
    for (let task = 0; task < 3; task += 1) await bed.enqueue('job', of('a'));
    await expect(bed.enqueue('job', of('a'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'At most 3 tasks may wait at once. Try again when some have run.',
    });
    expect((await bed.enqueue('job', of('b'))).status).toBe('working');
  });

  test('an input and a result over their size are refused, by bytes', async () => {
    const bed = await openBed(open, {
      limits: { inputBytes: 100, resultBytes: 100 },
      scripts: { echo: async (_run, input) => 'ü'.repeat(Number(input)) },
    });
    await expect(bed.enqueue('echo', { input: 'ü'.repeat(60) })).rejects.toMatchObject({ code: 'invalid' });
    expect(await bed.ended((await bed.enqueue('echo', { input: 49 })).id)).toMatchObject({
      status: 'completed',
    });
    const large = await bed.ended((await bed.enqueue('echo', { input: 60 })).id);
    expect(large).toMatchObject({ status: 'failed', result: null, error: { code: -32603 } });
    expect(large.statusMessage).toContain('100 bytes');
  });

  test('a result that is no JSON fails the task instead of leaving it', async () => {
    const bed = await openBed(open, { scripts: { odd: async () => ({ big: 1n }) } });
    expect(await bed.ended((await bed.enqueue('odd')).id)).toMatchObject({ status: 'failed' });
  });

  test('what a task says on its way is kept, once each, and the last 100 of it', async () => {
    const clock = new TestClock();
    const written = gate();
    const bed = await openBed(open, {
      now: clock.now,
      limits: { progressEveryMs: 1 },
      scripts: {
        job: async ({ io }) => {
          for (const [done, message] of [[1, 'Reading'], [2, 'Reading'], [3], [4, 'Writing']] as const) {
            clock.turn(1000);
            await io.progress(done, 4, message);
          }
          return 'done';
        },
        talker: async ({ io }) => {
          for (let at = 1; at <= 130; at += 1) await io.progress(at, undefined, `Line ${at}`);
          // What is written later stands after what was written before.
          await written.opened;
          await io.progress(131, undefined, 'At its end');
        },
      },
    });
    const saidBy = async (kind: string) => {
      const { id } = await bed.enqueue(kind);
      if (kind === 'talker')
        await eventually(async () => expect((await bed.row(id)).progress_done).toBe(130));
      written.open();
      await bed.ended(id);
      return (await seeTask(bed.store, OWNER.organizationId, id, clock.now()))?.said ?? [];
    };
    const lines = await saidBy('talker');
    const start = clock.now();
    expect(await saidBy('job')).toEqual([
      { at: start + 1000, done: 1, total: 4, message: 'Reading' },
      { at: start + 4000, done: 4, total: 4, message: 'Writing' },
    ]);
    expect(lines.map(({ message }) => message)).toEqual([
      ...Array.from({ length: 99 }, (_, at) => `Line ${at + 32}`),
      'At its end',
    ]);
    const kept = await bed.store.db<TaskTables>().selectFrom('task_progress').select('task_id').execute();
    expect(kept).toHaveLength(102);
  });

  test('progress is one line of at most 500 characters, rises, and is there at the end', async () => {
    const told: unknown[] = [];
    const begin = gate();
    const bed = await openBed(open, {
      scripts: {
        chatty: async ({ io }) => {
          await begin.opened;
          await io.progress(1, 3, `one\n\0two ${'x'.repeat(600)}`);
          await io.progress(1, 3, 'not again');
          await io.progress(2, 3);
        },
      },
    });
    const { id } = await bed.enqueue('chatty');
    bed.engine.watch(id, (change) => change.kind === 'progress' && told.push(change.progress.done));
    begin.open();
    const { statusMessage, progress } = await bed.ended(id);
    expect(told).toEqual([1, 2]);
    expect(progress).toEqual({ done: 2, total: 3 });
    expect(statusMessage ?? '').not.toMatch(/[\n\0]/);
    expect((statusMessage ?? '').length).toBeLessThanOrEqual(500);
  });
});
