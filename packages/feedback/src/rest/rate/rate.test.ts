/** The rate limit: a sliding minute per client address, one count for all replicas, no way around it by headers. */
import type { IncomingMessage } from 'node:http';
import { scratchStore } from '@parley/store/testing';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../../test/rest-api.ts';
import { openRest } from '../../../test/rest-api.ts';
import type { FeedbackTables } from '../../schema.ts';
import { createClientAddress } from './client-address.ts';
import { createMemoryCounter } from './memory-counter.ts';
import { createPostgresCounter } from './postgres-counter.ts';
import { onBothEngines } from '../../testing/engines.ts';

const MINUTE_MS = 60_000;

async function statuses(count: number, ask: (index: number) => ReturnType<TestApi['call']>): Promise<string> {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) seen.push((await ask(index)).status);
  const counts = new Map<number, number>();
  for (const status of seen) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, times]) => `${times} x ${status}`).join(', ');
}

onBothEngines('the rate limit', (open) => {
  test('refuses the 101st request in a minute, with the time to wait; after it, 200', async () => {
    let now = Date.now();
    const api = await openRest(await open(), { now: () => now, ratePerMinute: 100 });
    const get = () => api.call('GET', '/tags', { as: api.keys.member });
    expect(await statuses(100, get)).toBe('100 x 200');
    now += 30_000;
    const refused = await get();
    expect([refused.status, refused.json.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    const waitS = Number(refused.headers.get('retry-after'));
    expect(waitS).toBeLessThanOrEqual(31);
    expect(refused.json.error.message).toContain(String(waitS));
    expect(refused.headers.get('idempotency-supported')).toBe('true');
    now += waitS * 1000 - 2000;
    expect((await get()).status).toBe(429);
    now += 2000;
    expect((await get()).status).toBe(200);
  });

  test('counts before the key is looked at, and no forged header makes a new client', async () => {
    const api = await openRest(await open(), { ratePerMinute: 5 });
    const forged = (index: number) =>
      api.call('GET', '/tags', { as: 'nonsense', headers: { 'x-forwarded-for': `203.0.113.${index}` } });
    expect(await statuses(7, forged)).toBe('5 x 401, 2 x 429');
    expect((await api.call('GET', '/tags', { as: api.keys.member })).status).toBe(429);
    expect((await api.call('GET', '/docs')).status).toBe(429);
  });

  test('believes a configured proxy about its right-most client', async () => {
    const api = await openRest(await open(), {
      ratePerMinute: 2,
      trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
    });
    const from = (forwardedFor: string) => () =>
      api.call('GET', '/tags', { as: api.keys.member, headers: { 'x-forwarded-for': forwardedFor } });
    expect(await statuses(3, from('203.0.113.7'))).toBe('2 x 200, 1 x 429');
    expect(await statuses(3, from('198.51.100.1, 203.0.113.8, 10.1.2.3'))).toBe('2 x 200, 1 x 429');
    expect((await from('6.6.6.6, 203.0.113.8')()).status).toBe(429);
    expect((await from('198.51.100.1')()).status).toBe(200);
  });

  test('counts a key over all addresses when that is set', async () => {
    const api = await openRest(await open(), { ratePerKeyPerMinute: 3, trustedProxies: ['127.0.0.1'] });
    const by = (as: string) => (index: number) =>
      api.call('GET', '/tags', { as, headers: { 'x-forwarded-for': `203.0.113.${index}` } });
    expect(await statuses(5, by(api.keys.member))).toBe('3 x 200, 2 x 429');
    expect(await statuses(2, by(api.keys.admin))).toBe('2 x 200');
  });

  test('brakes the guessing of keys, not those who have one, and not those who ask without', async () => {
    const api = await openRest(await open(), { failedKeysPerMinute: 3 });
    expect(await statuses(10, () => api.call('GET', '/tags'))).toBe('10 x 401');
    expect(await statuses(5, () => api.call('GET', '/tags', { as: 'nonsense' }))).toBe('3 x 401, 2 x 429');
    expect((await api.call('GET', '/tags', { as: api.keys.member })).status).toBe(200);
  });
});

// Replicas exist on PostgreSQL alone; over SQLite one process serves.
onBothEngines('two replicas', (open, engine) => {
  test.runIf(engine === 'postgres')('share one count, to the request', async () => {
    const first = await openRest(await open(), { ratePerMinute: 60 });
    const second = await openRest(await open(), { ratePerMinute: 60, slug: 'replica' });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? first : second).call('GET', '/tags', { as: first.keys.member }),
      ),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    expect([passed, answers.filter(({ status }) => status === 429).length]).toEqual([60, 40]);
  });

  test.runIf(engine === 'postgres')('cost one statement per request, and none while refused', async () => {
    const store = await open();
    await openRest(store);
    let statements = 0;
    const counted = { ...store, db: <T>() => ((statements += 1), store.db<T>()) };
    const counter = createPostgresCounter(counted);
    const buckets = [
      { name: 'address:a', limit: 1 },
      { name: 'key:k', limit: 5 },
    ];
    const now = Date.now();
    expect(await counter.take(buckets, now)).toBe(0);
    expect(statements).toBe(1);
    expect(await counter.take(buckets, now)).toBeGreaterThan(0);
    expect(await counter.take(buckets, now)).toBeGreaterThan(0);
    expect(statements).toBe(2);
    await counter.sweep(now + 2 * MINUTE_MS);
    expect(
      await store.db<FeedbackTables>().selectFrom('feedback_rate_windows').selectAll().execute(),
    ).toEqual([]);
  });

  test.runIf(engine === 'postgres')('count as the counter in memory does', async () => {
    const store = await open();
    await openRest(store);
    const steps = fc.array(fc.integer({ min: 0, max: 25_000 }), { minLength: 10, maxLength: 40 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), async (gaps, limit) => {
        run += 1;
        const bucket = [{ name: `run ${run}`, limit }];
        const [shared, own] = [createPostgresCounter(store), createMemoryCounter()];
        let now = 1_700_000_000_000;
        for (const gap of gaps) {
          now += gap;
          expect(await shared.take(bucket, now)).toBe(await own.take(bucket, now));
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('the sliding window', () => {
  test('never lets more through in any 60 seconds, and keeps its word about the wait', async () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 10 }), (gaps, limit) => {
        const counter = createMemoryCounter();
        const bucket = [{ name: 'a', limit }];
        const passed: number[] = [];
        let now = 1_700_000_000_000;
        for (const gap of gaps) {
          now += gap;
          const waitMs = Number(counter.take(bucket, now));
          if (waitMs === 0) passed.push(now);
          else {
            now += waitMs;
            expect(counter.take(bucket, now)).toBe(0);
            passed.push(now);
          }
        }
        for (const [index, at] of passed.entries()) {
          const earlier = passed[index - limit];
          if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(MINUTE_MS);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('forgets who stays away', async () => {
    const counter = createMemoryCounter();
    const now = Date.now();
    await counter.take([{ name: 'a', limit: 1 }], now);
    await counter.sweep(now + 2 * MINUTE_MS);
    expect(await counter.take([{ name: 'a', limit: 1 }], now)).toBe(0);
  });
});

describe('the address of a client', () => {
  // The two fields of a request that decide it.
  const request = (remoteAddress: string, forwardedFor?: string) =>
    ({
      socket: { remoteAddress },
      headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    }) as unknown as IncomingMessage;

  test('is the socket unless a trusted proxy says more', () => {
    const plain = createClientAddress([]);
    expect(plain(request('203.0.113.9', '1.1.1.1'))).toBe('203.0.113.9');
    expect(plain(request('::ffff:203.0.113.9'))).toBe('203.0.113.9');
    const behind = createClientAddress(['10.0.0.1', 'fd00::/8']);
    const cases: [socket: string, header: string | undefined, client: string][] = [
      ['10.0.0.1', undefined, '10.0.0.1'],
      ['10.0.0.1', '', '10.0.0.1'],
      ['10.0.0.1', '1.1.1.1', '1.1.1.1'],
      ['10.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
      ['10.0.0.1', '1.1.1.1, fd00::5', '1.1.1.1'],
      ['10.0.0.1', '1.1.1.1:5555', '1.1.1.1'],
      ['10.0.0.1', 'unknown', '10.0.0.1'],
      ['10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
      ['10.0.0.1', '[2001:db8:1:2:3::4]:443', '2001:db8:1:2::/64'],
      ['10.0.0.2', '1.1.1.1', '10.0.0.2'],
      ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
      ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ];
    for (const [socket, header, client] of cases) expect(behind(request(socket, header))).toBe(client);
  });

  test('a proxy that is no address is refused at the start', () => {
    for (const entry of ['', 'proxy.local', '10.0.0.0/', '10.0.0.0/x', '300.1.1.1'])
      expect(() => createClientAddress([entry])).toThrow(/no address of a proxy/);
  });

  test('a store of SQLite needs no table for it', async () => {
    await using store = await scratchStore();
    const api = await openRest(store, { ratePerMinute: 1 });
    expect(await statuses(2, () => api.call('GET', '/tags', { as: api.keys.member }))).toBe(
      '1 x 200, 1 x 429',
    );
  });
});
