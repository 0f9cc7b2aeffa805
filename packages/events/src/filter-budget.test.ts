/** The budget of filters: what one target reads is taken from no other, and keeps no event waiting for long. */
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { BED_MIGRATIONS, openBed, ORG, TestClock } from '../test/bed.ts';
import { event } from '../test/sample-event.ts';
import type { CloudEvent } from './cloud-event.ts';
import { askFilters, COMPILED_CHARACTERS, EVENT_READS, OWN_READS, TARGET_READS } from './filter-budget.ts';
import { FILTER_READS, isCompiled } from './filter.ts';
import { HeldFilters, HOLD_MS } from './held-filters.ts';
import type { Candidate } from './matching.ts';

const objects = (length: number) => Array.from({ length }, (_, i) => ({ i }));
const LARGE = event({
  total: 150,
  items: objects(8000),
  few: objects(5),
  mid: objects(250),
  some: objects(1500),
});
const CHEAP = '$.data[?@ == 150]';
const walk = (index: number) => `$${'..*'.repeat(index + 3)}.nope`;
const descent = (index: number) => `$..[?@..[?@..[?@.x${index}]]]`;
/** Reads most of what a filter may, and comes to an end. */
const LONG = '$.data.some[?@.i < 0]';

const of = (target: string, filters: readonly string[]): Candidate[] =>
  filters.map((filter, index) => ({
    id: `${target} ${index}`,
    target_id: target,
    filter,
    target: { id: target, kind: 'webhook', paused_reason: null },
  }));
const many = (count: number, filter: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => filter(index));

function asker() {
  const clock = new TestClock();
  const held = new HeldFilters(clock.now);
  const ask = async (candidates: readonly Candidate[], about: CloudEvent) => {
    const { wanted, failed, reads } = await askFilters(held, candidates, about);
    return { wanted: wanted.map(({ id }) => id), failed, reads };
  };
  return { clock, held, ask };
}

/** How often the event loop went round meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(count);
  function count() {
    turns += 1;
    next = setImmediate(count);
  }
  await work();
  clearImmediate(next);
  return turns;
}

interface Row {
  readonly greedy: Candidate[];
  /** Whether the greedy filters are cut off; otherwise they are within their budget. */
  readonly fails: boolean;
}

const GREEDY: Record<string, Row> = {
  'ten walks': { greedy: of('a', many(10, walk)), fails: true },
  'twelve descents': { greedy: of('a', many(12, descent)), fails: true },
  'as many as a connection may have': { greedy: of('a', many(500, descent)), fails: true },
  'one more than share the first step': { greedy: of('a', many(59, descent)), fails: true },
  'one that is within its budget': { greedy: of('a', [LONG]), fails: false },
};

test.each(Object.entries(GREEDY))('%s take nothing from another target', async (_name, { greedy, fails }) => {
  const { ask } = asker();
  // Others come after in the order of targets, with a filter that reads little, much, and one that does not match.
  const others = [...of('b', [CHEAP, '$.data.few[?@.i < 0]']), ...of('c', ['$.data.some[?@.i == 1400]', ''])];
  for (const round of [1, 2, 3]) {
    const { wanted, failed } = await ask([...greedy, ...others], LARGE);
    expect([round, wanted]).toEqual([round, ['b 0', 'c 0', 'c 1']]);
    expect(failed.toSorted()).toEqual(fails ? greedy.map(({ id }) => id).toSorted() : []);
  }
});

test.each(Object.entries(GREEDY).filter(([, { fails }]) => fails))(
  '%s cost the first event at most the part of their target, and the next hundred next to nothing',
  async (_name, { greedy }) => {
    const { ask } = asker();
    expect((await ask(greedy, LARGE)).reads).toBeLessThanOrEqual(TARGET_READS);
    let reads = 0;
    for (let published = 0; published < 100; published += 1) reads += (await ask(greedy, LARGE)).reads;
    expect(reads).toBeLessThanOrEqual(100 * OWN_READS);
  },
);

test('many greedy targets share what there is; those that read little are all asked', async () => {
  const { ask } = asker();
  const greedy = many(20, (index) => `a${index}`).flatMap((target) => of(target, many(12, descent)));
  const modest = many(20, (index) => `b${index}`).flatMap((target) => of(target, [CHEAP]));
  const first = await ask([...greedy, ...modest], LARGE);
  expect(first.wanted).toEqual(modest.map(({ id }) => id));
  expect(first.reads).toBeLessThanOrEqual(EVENT_READS + 40 * OWN_READS);
  let reads = 0;
  for (let published = 0; published < 20; published += 1)
    ({ reads } = await ask([...greedy, ...modest], LARGE));
  expect(reads).toBeLessThanOrEqual(40 * OWN_READS);
});

test.each([
  ['three targets with one greedy filter each', 3, 1],
  ['two targets with twelve', 2, 12],
])('%s come after those that read a thousand times', async (_name, targets, filters) => {
  const { ask } = asker();
  const greedy = many(targets, (index) => `a${index}`).flatMap((target) =>
    of(target, many(filters, descent)),
  );
  const modest = many(5, (index) => `b${index}`).flatMap((target) => of(target, ['$.data.mid[?@.i == 249]']));
  const { wanted, failed, reads } = await ask([...greedy, ...modest], LARGE);
  expect(wanted).toEqual(modest.map(({ id }) => id));
  expect(failed.toSorted()).toEqual(greedy.map(({ id }) => id).toSorted());
  expect(reads).toBeLessThanOrEqual(EVENT_READS + (targets + 5) * OWN_READS);
});

test('a hold ends in its time, however often the filter fails meanwhile', async () => {
  const { ask, clock, held } = asker();
  const own = of('a', ['$.data.items[?@.i < 0]', LONG]);
  const others = many(4, (index) => `b${index}`).flatMap((target) => of(target, [CHEAP]));
  held.hold(own[0] as Candidate);
  clock.ms += HOLD_MS / 2;
  expect((await ask([...own, ...others], LARGE)).failed).toEqual(['a 0']);
  clock.ms += HOLD_MS / 2;
  expect(held.isHeld(own[0] as Candidate)).toBe(false);
});

test('a held filter still matches small events, and is asked in full after a while', async () => {
  const { ask, clock, held } = asker();
  const own = of('a', ['$.data[?@.total == 150]']);
  const other = of('b', ['$.data[?@.total == 150]']);
  const endingWithIt = (length: number) => event([...objects(length), { total: 150 }]);
  const reached = endingWithIt(100);
  expect(await ask(own, endingWithIt(8000))).toMatchObject({ wanted: [], failed: ['a 0'] });
  expect(held.isHeld(own[0] as Candidate)).toBe(true);
  expect(await ask(own, endingWithIt(1))).toMatchObject({ wanted: ['a 0'], failed: [] });
  expect(await ask(own, reached)).toMatchObject({ wanted: [], failed: ['a 0'] });
  // The same text of another target is not held.
  expect(await ask([...own, ...other], reached)).toMatchObject({ wanted: ['b 0'], failed: ['a 0'] });
  clock.ms += HOLD_MS;
  expect(await ask(own, reached)).toMatchObject({ wanted: ['a 0'], failed: [] });
});

test('a filter that fails without reading much is not held', async () => {
  const { ask, held } = asker();
  const deep = JSON.parse('['.repeat(80) + ']'.repeat(80)) as unknown;
  expect(await ask(of('a', ['$..nope']), event(deep))).toMatchObject({ wanted: [], failed: ['a 0'] });
  expect(held.size).toBe(0);
});

test('compiling filters of one target is bounded for an event, and keeps no other target waiting', async () => {
  const { ask, clock } = asker();
  const greedy = of(
    'a',
    many(500, (index) => `$.data.m${index}`.padEnd(1000, 'a')),
  );
  const compiled = () => greedy.filter(({ filter }) => isCompiled(filter)).length;
  const fit = COMPILED_CHARACTERS / 1000;
  const all = [...greedy, ...of('b', [CHEAP])];
  for (const round of [1, 2, 3]) {
    const { wanted, failed } = await ask(all, LARGE);
    expect([round, wanted, failed.length, compiled()]).toEqual([round, ['b 0'], 500 - fit, fit]);
  }
  clock.ms += HOLD_MS;
  expect((await ask(all, LARGE)).wanted).toEqual(['b 0']);
  expect(compiled()).toBe(2 * fit);
});

test('what is remembered of held filters is bounded, and the newest stay', () => {
  const held = new HeldFilters(new TestClock().now);
  const all = of('a', many(5000, descent));
  for (const one of all) held.hold(one);
  expect(held.size).toBe(2000);
  expect([all[0], all.at(-1)].map((one) => held.isHeld(one as Candidate))).toEqual([false, true]);
});

test('one filter is within the part of its target, and two targets within what all have', () => {
  expect(FILTER_READS).toBeLessThan(TARGET_READS);
  expect(2 * TARGET_READS).toBeLessThanOrEqual(EVENT_READS);
});

onBothEngines(
  'the budget of filters',
  (open) => {
    test('a connection with greedy filters takes no delivery from another one, and each failure is counted', async () => {
      const bed = await openBed(open, { delivers: false });
      const greedy = { organizationId: ORG, connectionId: 'conn_a', createdBy: 'usr_1' };
      const other = { organizationId: ORG, connectionId: 'conn_b', createdBy: 'usr_2' };
      const wanted = [...many(10, walk), ...many(12, descent)];
      for (const filter of wanted) await bed.events.subscribers.subscribe(greedy, { eventType: '*', filter });
      const { id } = await bed.events.subscribers.subscribe(other, { eventType: '*', filter: CHEAP });
      const published = await Promise.all(
        many(5, String).map((subject) =>
          bed.events.publishNow({
            organizationId: ORG,
            source: 'shop',
            type: 'order.paid',
            subject,
            data: LARGE.data,
          }),
        ),
      );
      const deliveries = await bed.events.history.deliveries(ORG, { limit: 100 });
      expect(deliveries.map(({ event: { subject } }) => String(subject)).toSorted()).toEqual(
        published.map(({ subject }) => subject),
      );
      expect(new Set(deliveries.map(({ subscriptionId }) => subscriptionId))).toEqual(new Set([id]));
      const failures = async (connectionId: string) =>
        (await bed.events.subscribers.list(ORG, connectionId)).map(({ filterFailures }) => filterFailures);
      expect(await failures('conn_a')).toEqual(wanted.map(() => 5));
      expect(await failures('conn_b')).toEqual([0]);
    });

    test('the event loop has a turn between events that filters read much of', async () => {
      const bed = await openBed(open, { delivers: false });
      const who = { organizationId: ORG, connectionId: 'conn_a', createdBy: 'usr_1' };
      await bed.events.subscribers.subscribe(who, { eventType: '*', filter: LONG });
      const given = { organizationId: ORG, source: 'shop', type: 'order.paid', data: LARGE.data };
      const turns = await turnsDuring(() =>
        bed.store.transaction((tx) =>
          bed.events.publishAll(
            tx,
            Array.from({ length: 6 }, () => given),
          ),
        ),
      );
      expect(turns).toBeGreaterThanOrEqual(6);
    });

    test('the event loop has a turn between filters that are checked', async () => {
      const bed = await openBed(open, { delivers: false });
      const who = { organizationId: ORG, connectionId: 'conn_a', createdBy: 'usr_1' };
      const wanted = many(20, (index) => `type.t${index}`).map((eventType) => ({ eventType, filter: CHEAP }));
      expect(await turnsDuring(() => bed.events.subscribers.sync(who, wanted))).toBeGreaterThanOrEqual(20);
    });
  },
  BED_MIGRATIONS,
);
