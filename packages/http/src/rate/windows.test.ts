/** Sliding windows: never more in any span than was allowed, the same count in memory and in PostgreSQL. */
import { onBothEngines } from '@parley/store/testing';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notesMigrations } from '../../test/notes-api.ts';
import type { RateWindowRow } from '../tables.ts';
import { rateTable } from '../tables.ts';
import { MemoryWindows } from './memory-windows.ts';
import { createPostgresWindows } from './postgres-windows.ts';
import { MINUTE } from './window.ts';

const MINUTE_MS = 60_000;

// Replicas exist on PostgreSQL alone; over SQLite one process serves.
onBothEngines('shared windows', (open, engine) => {
  test.runIf(engine === 'postgres')('cost one statement per request, and none while refused', async () => {
    const store = await open();
    await store.migrate([notesMigrations]);
    let statements = 0;
    const counted = { ...store, db: <T>() => ((statements += 1), store.db<T>()) };
    const counter = createPostgresWindows(counted, 'notes');
    const shares = [
      { name: 'address:a', limit: 1 },
      { name: 'key:k', limit: 5 },
    ];
    const now = Date.now();
    expect(await counter.take(shares, now)).toBe(0);
    expect(statements).toBe(1);
    expect(await counter.take(shares, now)).toBeGreaterThan(0);
    expect(await counter.take(shares, now)).toBeGreaterThan(0);
    expect(statements).toBe(2);
    await counter.sweep(now + 2 * MINUTE_MS);
    expect(
      await store.db<Record<string, RateWindowRow>>().selectFrom(rateTable('notes')).selectAll().execute(),
    ).toEqual([]);
  });

  test.runIf(engine === 'postgres')('count as the counter in memory does', async () => {
    const store = await open();
    await store.migrate([notesMigrations]);
    const steps = fc.array(fc.integer({ min: 0, max: 25_000 }), { minLength: 10, maxLength: 40 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), async (gaps, limit) => {
        run += 1;
        const bucket = [{ name: `run ${run}`, limit }];
        const [shared, own] = [createPostgresWindows(store, 'notes'), new MemoryWindows(MINUTE)];
        let now = 1_700_000_000_000;
        for (const gap of gaps) {
          now += gap;
          expect(await shared.take(bucket, now)).toBe(own.take(bucket, now));
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
        const counter = new MemoryWindows(MINUTE);
        const bucket = [{ name: 'a', limit }];
        const passed: number[] = [];
        let now = 1_700_000_000_000;
        for (const gap of gaps) {
          now += gap;
          const waitMs = counter.take(bucket, now);
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

  test('without steps holds its span to the millisecond', () => {
    const counter = new MemoryWindows({ spanMs: 60 * MINUTE_MS });
    const share = [{ name: 'a', limit: 2 }];
    const start = 1_700_000_000_000;
    expect([counter.take(share, start), counter.take(share, start + 59 * MINUTE_MS)]).toEqual([0, 0]);
    expect(counter.take(share, start + 59 * MINUTE_MS)).toBe(MINUTE_MS);
    expect(counter.take(share, start + 60 * MINUTE_MS)).toBe(0);
    expect(counter.take(share, start + 60 * MINUTE_MS)).toBe(59 * MINUTE_MS);
  });

  test('forgets who stays away', () => {
    const counter = new MemoryWindows(MINUTE);
    const now = Date.now();
    counter.take([{ name: 'a', limit: 1 }], now);
    counter.sweep(now + 2 * MINUTE_MS);
    expect(counter.take([{ name: 'a', limit: 1 }], now)).toBe(0);
  });
});
