/** Where time goes: each reason counts once at a time, for the work that waits and for nobody else. */
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { onBothEngines } from './testing/index.ts';
import { Spending, Spent } from './spending.ts';

const WAIT_MS = 50;

test('what goes on at once for one reason counts once', async () => {
  const spent = new Spent();
  const ends = [spent.begin('database'), spent.begin('database')];
  await delay(WAIT_MS);
  for (const end of ends) end('select');
  const total = performance.now() - spent.startedMs;
  expect(spent.msOn('database')).toBeGreaterThan(0);
  expect(spent.msOn('database')).toBeLessThanOrEqual(total);
  expect(spent.msOn('queue')).toBe(0);
});

test('what was spent until somebody was let in is told apart', () => {
  const spent = new Spent({ keepsStretches: true });
  spent.begin('database')('select');
  spent.admitted();
  expect(spent.admitMs).toBeGreaterThan(0);
  expect(spent.msOn('database')).toBe(0);
  expect(spent.stretches).toMatchObject([{ on: 'database', what: 'select' }]);
});

test('of very many stretches the first are kept, and the others are counted', () => {
  const spent = new Spent({ keepsStretches: true });
  for (let turn = 0; turn < 200; turn += 1) spent.begin('database')('select');
  expect([spent.stretches?.length, spent.untoldStretches]).toEqual([128, 72]);
});

test('nothing is counted until somebody wants to know', async () => {
  const spending = new Spending();
  expect(spending.begin()).toBeUndefined();
  expect(spending.within(new Spent(), () => spending.current())).toBeUndefined();
  expect(await spending.wait('purpose', 'nothing', Promise.resolve(1))).toBe(1);
});

onBothEngines('the time of work', (open) => {
  test('is found by the store, and not given to those whom a change wakes', async () => {
    const store = await open();
    await store.migrate([]);
    const { spending } = store;
    spending.turnOn({ keepsStretches: true });
    const heard = Promise.withResolvers<Spent | undefined>();
    store.signal.subscribe('told', () => heard.resolve(spending.current()));
    const spent = spending.begin();
    await spending.within(spent, () =>
      store.transaction(async (tx) => {
        expect(spending.current()).toBe(spent);
        // Without a statement PostgreSQL hears nothing of a transaction.
        await sql`select 1`.execute(tx.db());
        await tx.signal('told');
      }),
    );
    expect(spent?.msOn('database')).toBeGreaterThan(0);
    expect(spent?.stretches?.map(({ what }) => what)).toContain('commit');
    expect(await heard.promise).toBeUndefined();
    expect(store.figures().signals).toMatchObject({ isBroken: false, losses: 0, sent: 1 });
    const [general] = store.figures().lanes;
    expect(general?.statements.counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    expect(general).toMatchObject({ lane: 'general', busy: 0, waiting: 0 });
  });
});
