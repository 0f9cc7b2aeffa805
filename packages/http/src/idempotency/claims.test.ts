/** Claims of an `Idempotency-Key`: whoever dies with one blocks nobody, and repeats nothing. */
import type { Store } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { notesMigrations } from '../../test/notes-api.ts';
import type { KeptAnswer, RepeatableRequest } from './claims.ts';
import { Claims, KEEP_MS } from './claims.ts';
import type { OnceOptions } from './once.ts';
import { once } from './once.ts';

const REQUEST: RepeatableRequest = {
  organizationId: 'org_1',
  callerId: 'key_1',
  key: 'k',
  requestHash: 'h',
  hasSecret: false,
};

async function prepare(store: Store, now: () => number = Date.now) {
  await store.migrate([notesMigrations]);
  const claims = new Claims(store, 'notes');
  const onFault = (error: unknown) => {
    throw error;
  };
  const options: OnceOptions = { store, claims, now, onFault };
  return { claims, options };
}

onBothEngines('a claim whose process died', (open) => {
  const done: KeptAnswer = { status: 200, location: undefined, body: '{}' };
  const LATER_MS = 61_000;

  test('is taken over when nothing was changed, by one request alone', async () => {
    let now = Date.now();
    const { claims, options } = await prepare(await open(), () => now);
    const asked = REQUEST;
    const dead = (await claims.claim(asked, now)) ?? '';
    now += LATER_MS;
    let runs = 0;
    const work = async () => {
      runs += 1;
      return done;
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => once(options, asked, work)));
    expect([runs, answers.every(({ body }) => body === '{}')]).toEqual([1, true]);
    const late = options.store.transaction((tx) => claims.markApplied(tx, asked, dead));
    await expect(late).rejects.toThrow('taken over');
  });

  test('is not repeated when the change was made', async () => {
    let now = Date.now();
    const { claims, options } = await prepare(await open(), () => now);
    const asked = REQUEST;
    const dead = (await claims.claim(asked, now)) ?? '';
    await options.store.transaction((tx) => claims.markApplied(tx, asked, dead));
    now += LATER_MS;
    const again = once(options, asked, async () => done);
    await expect(again).rejects.toThrow('was carried out');
  });

  test('is waited for, but not for ever', async () => {
    const { claims, options } = await prepare(await open());
    const asked = REQUEST;
    await claims.claim(asked, Date.now());
    const again = once({ ...options, waitMs: 1 }, asked, async () => done);
    await expect(again).rejects.toThrow('still being worked on');
  });

  test('is forgotten after a day, and a newer one is not', async () => {
    const { claims } = await prepare(await open());
    const now = Date.now();
    await claims.claim(REQUEST, now);
    await claims.claim({ ...REQUEST, key: 'newer' }, now + 1);
    await claims.sweep(now + KEEP_MS);
    expect(await claims.find(REQUEST)).toBeUndefined();
    expect(await claims.find({ ...REQUEST, key: 'newer' })).toBeDefined();
  });
});
