/** The rate limit: a sliding minute per client address, one count for all replicas, no way around it by headers. */
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import { onBothEngines } from '../testing/engines.ts';

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
});

test('the rate limit of a SQLite store needs no table', async () => {
  await using store = await scratchStore();
  const api = await openRest(store, { ratePerMinute: 1 });
  expect(await statuses(2, () => api.call('GET', '/tags', { as: api.keys.member }))).toBe('1 x 200, 1 x 429');
});
