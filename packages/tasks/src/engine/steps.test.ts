/** Steps: run once, retried while parked, stored in order, within their limits. */
import { ToolError } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { openBed, question, accept, OWNER, TestClock } from '../../test/engine-bed.ts';

onBothEngines('steps', (open) => {
  test('a step runs once although the task is entered again', async () => {
    const ran: string[] = [];
    const bed = await openBed(open, {
      scripts: {
        twice: async ({ io }) => {
          const first = await io.step('first', () => ran.push('first'));
          await io.request('who', question('Who?'));
          const second = await io.step('second', () => ran.push('second'));
          return { first, second };
        },
      },
    });
    const { id } = await bed.enqueue('twice');
    await eventually(async () => expect((await bed.get(id)).status).toBe('input_required'));
    await bed.engine.answer(OWNER, id, { who: accept({ name: 'Ada' }) });
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: { first: 1, second: 2 } });
    expect(ran).toEqual(['first', 'second']);
  });

  test('a failing step is retried five times, parked in between, with growing waits', async () => {
    const clock = new TestClock();
    const waits: number[] = [];
    let ran = 0;
    const bed = await openBed(open, {
      now: clock.now,
      scripts: {
        flaky: ({ io }) =>
          io.step('call', () => {
            ran += 1;
            throw new Error('secret detail');
          }),
      },
    });
    const { id } = await bed.enqueue('flaky');
    for (let attempt = 1; attempt < 5; attempt += 1) {
      const row = await eventually(async () => {
        const now = await bed.row(id);
        expect(now).toMatchObject({ state: 'ready', worker_id: null });
        expect(now.due_at).toBeGreaterThan(clock.ms);
        return now;
      });
      expect(ran).toBe(attempt);
      waits.push(row.due_at - clock.ms);
      clock.turn(row.due_at - clock.ms);
    }
    const ended = await bed.ended(id);
    expect(ended).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'Step "call" failed 5 times and is not tried again.' },
    });
    expect(JSON.stringify(ended)).not.toContain('secret detail');
    expect(ran).toBe(5);
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index);
      expect(wait).toBeLessThanOrEqual(1500 * 2 ** index);
    }
    expect(bed.faults).toHaveLength(5);
  });

  test('an error of the tool is final and stored', async () => {
    let ran = 0;
    const bed = await openBed(open, {
      scripts: {
        refuse: async ({ io }) => {
          const attempt = () =>
            io.step('call', () => {
              ran += 1;
              throw new ToolError('conflict', 'Taken.', { by: 'Ada' });
            });
          return attempt();
        },
      },
    });
    const { id } = await bed.enqueue('refuse');
    const result = { code: 'conflict', message: 'Taken.', data: { by: 'Ada' } };
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result });
    expect(ran).toBe(1);
  });

  test.each([
    ['is waited for', 7_000, 7_000],
    ['is cut to the cap', 900_000, 60_000],
  ])('a retryAfterMs %s', async (_name, retryAfterMs, waitMs) => {
    const clock = new TestClock();
    let ran = 0;
    const bed = await openBed(open, {
      now: clock.now,
      scripts: {
        limited: ({ io }) =>
          io.step('call', () => {
            ran += 1;
            if (ran === 1) throw new ToolError('rate_limited', 'Later.', { retryAfterMs });
            return 'done';
          }),
      },
    });
    const { id } = await bed.enqueue('limited');
    await eventually(async () => expect((await bed.row(id)).due_at).toBe(clock.ms + waitMs));
    clock.turn(waitMs);
    expect(await bed.ended(id)).toMatchObject({ result: 'done' });
  });

  test('a changed order fails the task, names the key and runs nothing new', async () => {
    let order = ['first', 'second'];
    const ran: string[] = [];
    const bed = await openBed(open, {
      scripts: {
        moved: async ({ io }) => {
          for (const key of order) await io.step(key, () => ran.push(key));
          await io.request('who', question('Who?'));
        },
      },
    });
    for (const changed of [
      ['second', 'first'],
      ['new', 'first', 'second'],
    ]) {
      order = ['first', 'second'];
      const { id } = await bed.enqueue('moved');
      await eventually(async () => expect((await bed.get(id)).status).toBe('input_required'));
      order = changed;
      await bed.engine.answer(OWNER, id, { who: accept({ name: 'Ada' }) });
      const { error } = await bed.ended(id);
      expect(error?.code).toBe(-32603);
      expect(error?.message).toContain(`"${changed[0]}"`);
    }
    expect(ran).toEqual(['first', 'second', 'first', 'second']);
  });

  test('a key that is used twice fails the task and is named', async () => {
    const bed = await openBed(open, {
      scripts: {
        double: async ({ io }) => {
          await io.step('again', () => 1);
          await io.step('again', () => 2);
        },
      },
    });
    const { error } = await bed.ended((await bed.enqueue('double')).id);
    expect(error?.message).toContain('"again" is used twice');
  });

  test('outputs and numbers of steps have limits that name the step', async () => {
    const bed = await openBed(open, {
      limits: { stepBytes: 100, steps: 3 },
      scripts: {
        big: ({ io }) => io.step('big', () => 'ü'.repeat(60)),
        fits: ({ io }) => io.step('fits', () => 'ü'.repeat(40)),
        many: async ({ io }) => {
          for (let step = 1; step <= 4; step += 1) await io.step(`step ${step}`, () => step);
        },
      },
    });
    expect((await bed.ended((await bed.enqueue('big')).id)).error?.message).toContain('"big"');
    expect((await bed.ended((await bed.enqueue('fits')).id)).status).toBe('completed');
    expect((await bed.ended((await bed.enqueue('many')).id)).error?.message).toContain('"step 4"');
  });

  test('steps side by side and inside each other survive another entry', async () => {
    const ran: string[] = [];
    const bed = await openBed(open, {
      scripts: {
        forked: async ({ io }) => {
          const slow = async () => {
            await io.step('slow 1', () => new Promise((resolve) => setImmediate(resolve)));
            return io.step('slow 2', () => ran.push('slow 2'));
          };
          const quick = async () => {
            await io.step('quick 1', () => ran.push('quick 1'));
            return io.step('quick 2', () => io.step('inner', () => ran.push('inner')));
          };
          await Promise.all([slow(), quick(), io.request('who', question('Who?'))]);
          await io.step('after', () => ran.push('after'));
          await io.request('more', question('More?'));
        },
      },
    });
    const { id } = await bed.enqueue('forked');
    for (const key of ['who', 'more']) {
      await eventually(async () => expect(Object.keys((await bed.get(id)).inputRequests)).toEqual([key]));
      await bed.engine.answer(OWNER, id, { [key]: accept({ name: 'Ada' }) });
    }
    expect(await bed.ended(id)).toMatchObject({ status: 'completed' });
    expect(ran.toSorted()).toEqual(['after', 'inner', 'quick 1', 'slow 2']);
  });

  test('a step that takes too long is tried again', async () => {
    const clock = new TestClock();
    let ran = 0;
    const bed = await openBed(open, {
      now: clock.now,
      scripts: {
        slow: ({ io }) =>
          io.step('call', () => ((ran += 1) === 1 ? new Promise(() => undefined) : 'done'), {
            timeoutMs: 10,
          }),
      },
    });
    const { id } = await bed.enqueue('slow');
    await eventually(async () => expect((await bed.row(id)).due_at).toBeGreaterThan(clock.ms));
    clock.turn(60_000);
    expect(await bed.ended(id)).toMatchObject({ result: 'done' });
  });

  test('code that fails for no reason it gives ends failed without its details', async () => {
    const bed = await openBed(open, {
      scripts: { broken: () => Promise.reject(new Error('secret detail')) },
    });
    const ended = await bed.ended((await bed.enqueue('broken')).id);
    expect(ended).toMatchObject({ status: 'failed', error: { code: -32603, message: 'Internal error' } });
    expect(bed.faults).toHaveLength(1);
  });
});
