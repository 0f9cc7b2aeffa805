/** Group commit: who goes together, who waits for whom, and that one spoils it for no other. */
import { ToolError } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { Store } from '@parley/store';
import { Batches, StatementError, StoreUnavailableError } from '@parley/store';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { gate, openBed, OWNER } from '../../test/engine-bed.ts';

/** Batches of texts, and what was written together. */
function texts(fails: (text: string) => Error | undefined = () => undefined) {
  const together: (readonly string[])[] = [];
  const batches = new Batches<string, string>(async (items) => {
    together.push(items);
    await new Promise(setImmediate);
    const fault = items.map(fails).find((error) => error !== undefined);
    if (fault !== undefined) throw fault;
    return items.map((value) => ({ value }));
  });
  return { batches, together };
}

test('what comes in one turn goes together, and what comes meanwhile goes next', async () => {
  const { batches, together } = texts();
  const first = [batches.add('a'), batches.add('b')];
  const later = first[0]!.then(() => Promise.all([batches.add('c'), batches.add('d')]));
  expect(await Promise.all(first)).toEqual(['a', 'b']);
  await later;
  await batches.written();
  expect(together).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

test('no write takes more than 256, and none is left', async () => {
  const { batches, together } = texts();
  await Promise.all(Array.from({ length: 600 }, (_, index) => batches.add(String(index))));
  expect(together.map(({ length }) => length)).toEqual([256, 256, 88]);
});

test('one that cannot be written spoils it for no other; a database that is away is away for all', async () => {
  const bad = new Error('Not this one.');
  const { batches, together } = texts((text) => (text === 'bad' ? bad : undefined));
  const settled = await Promise.allSettled(['a', 'bad', 'b'].map((text) => batches.add(text)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(together).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  const away = texts(() => new StoreUnavailableError('lost'));
  const all = await Promise.allSettled(['a', 'b'].map((text) => away.batches.add(text)));
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(away.together).toHaveLength(1);
});

onBothEngines('tasks made together', (open) => {
  test('keys, limits and inputs of some do not touch the others', async () => {
    const go = gate();
    const bed = await openBed(open, {
      limits: { waitingPerOwner: 2, runningPerOwner: 1, runningPerProcess: 4 },
      scripts: { job: () => go.opened },
    });
    const as = (id: string) => ({ caller: testCaller({ id }) });
    const made = await Promise.allSettled([
      bed.enqueue('job', as('a')),
      bed.enqueue('job', { ...as('a'), idempotencyKey: 'same' }),
      bed.enqueue('job', { ...as('a'), idempotencyKey: 'same' }),
      bed.enqueue('job', { ...as('b'), idempotencyKey: 'same' }),
      bed.enqueue('job', { ...as('b'), input: 'x'.repeat(2_000_000) }),
      bed.enqueue('nobody', as('b')),
    ]);
    const ids = made.map((one) => (one.status === 'fulfilled' ? one.value.id : one.status));
    expect(ids[1]).toBe(ids[2]);
    expect(new Set(ids).size).toBe(4);
    expect(ids.slice(4)).toEqual(['rejected', 'rejected']);
    const more = await Promise.allSettled([
      bed.enqueue('job', as('a')),
      bed.enqueue('job', as('a')),
      bed.enqueue('job', { ...as('a'), idempotencyKey: 'same' }),
      bed.enqueue('job', as('c')),
    ]);
    expect(more.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(more[1]).toMatchObject({ reason: expect.any(ToolError) });
    go.open();
  });

  test('a task that was committed when the connection broke is not reported as lost', async () => {
    const store = await open();
    let breaks = 1;
    const transaction: Store['transaction'] = async (work, options) => {
      const done = await store.transaction(work, options);
      if (options?.lane !== 'ending' && breaks-- > 0) throw new StoreUnavailableError('lost');
      return done;
    };
    const bed = await openBed(open, {
      store: { ...store, transaction },
      scripts: { job: async () => 'done' },
    });
    const { id } = await bed.enqueue('job');
    expect(breaks).toBeLessThan(1);
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    expect(
      (await bed.engine.list({ organizationId: 'org_test', ownerId: 'caller_test' }, { limit: 9 })).tasks,
    ).toHaveLength(1);
  });

  test.each([
    ['is away', new StoreUnavailableError('lost')],
    ['refuses', new StatementError(new Error('refused'), 'XX000')],
  ])('a database that %s after the commit takes back nothing that was made with it', async (_what, error) => {
    const store = await open();
    let isFailing = false;
    const flush = () => (isFailing ? Promise.reject(error) : store.flush());
    const bed = await openBed(open, { store: { ...store, flush }, scripts: { job: async () => 'done' } });
    const before = await bed.enqueue('job', { idempotencyKey: 'same' });
    isFailing = true;
    const made = await Promise.allSettled([
      bed.enqueue('job'),
      bed.enqueue('job', { idempotencyKey: 'same' }),
      bed.enqueue('job', { idempotencyKey: 'other' }),
    ]);
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(made[1]).toMatchObject({ reason: error });
    isFailing = false;
    const { tasks } = await bed.engine.list(OWNER, { limit: 9 });
    const ids = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []));
    expect(tasks.map(({ id }) => id).toSorted()).toEqual([before.id, ...ids].toSorted());
  });
});
