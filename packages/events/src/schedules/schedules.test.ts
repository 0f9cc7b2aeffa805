/** Schedules: one firing per instant whatever the number of replicas, and a plan that nothing moves. */
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import type { Bed } from '../../test/bed.ts';
import { BED_MIGRATIONS, openBed, ORG, TestClock } from '../../test/bed.ts';
import { scriptedSubscriber } from '../../test/subscriber.ts';

const TICK = {
  organizationId: ORG,
  source: 'caller/key_1',
  type: 'tick',
  cron: '* * * * * *',
  timezone: 'UTC',
};
const LATER = { organizationId: ORG, source: 'caller/key_1', type: 'later' };

/** The time of day. */
class RunningClock extends TestClock {
  override readonly now = Date.now;
}

const fired = (bed: Bed) => bed.events.history.events(ORG, { after: 0, types: [], limit: 1000 });
const instants = async (bed: Bed) => (await fired(bed)).map(({ time }) => Date.parse(time));

onBothEngines(
  'schedules',
  (open, engine) => {
    test('check 28: two replicas fire once per instant over 60 seconds, each firing with its own id', async () => {
      const clock = new TestClock();
      const limits = { pollMs: 20 };
      const beds = [await openBed(open, { clock, limits }), await openBed(open, { clock, limits })];
      const [bed] = beds as [Bed];
      const schedule = await bed.events.schedule({ ...TICK, data: { n: 1 } });
      expect(await bed.events.schedule({ ...TICK, data: { n: 2 } })).toEqual(schedule);
      for (const each of beds) each.events.start();
      const start = clock.ms;
      for (let second = 1; second <= 60; second += 1) {
        clock.ms += 1000;
        await eventually(async () => expect(await bed.events.history.lastNumber(ORG)).toBe(second));
      }
      const events = await fired(bed);
      expect(await instants(bed)).toEqual(
        Array.from({ length: 60 }, (_, index) => start + (index + 1) * 1000),
      );
      expect(new Set(events.map(({ id }) => id)).size).toBe(60);
      expect(new Set(events.map(({ parleyschedule }) => parleyschedule))).toEqual(new Set([schedule.id]));
      expect(events[0]).toMatchObject({ data: { n: 2 }, source: 'caller/key_1' });
      for (const each of beds) expect(each.faults).toEqual([]);
    });

    test('a firing plans the next: each second has its own, however seldom anybody looks', async () => {
      const bed = await openBed(open, { clock: new RunningClock(), limits: { pollMs: 60 * 60_000 } });
      bed.events.start();
      const { id } = await bed.events.schedule(TICK);
      await eventually(async () => expect(await bed.events.history.lastNumber(ORG)).toBeGreaterThan(2));
      expect(await bed.events.cancel({ organizationId: ORG }, id)).toBe(true);
      const times = await instants(bed);
      expect(new Set(times).size).toBe(times.length);
      expect(bed.faults).toEqual([]);
    });

    test('check 26: it fires without subscribers, reaches those who come later, and can be cancelled after firing', async () => {
      const subscriber = scriptedSubscriber();
      const bed = await openBed(open, { deliver: subscriber.deliver, limits: { pollMs: 20 } });
      bed.events.start();
      const { id } = await bed.events.schedule(TICK);
      const tick = async (last: number) => {
        clockTo(bed, last);
        await eventually(async () => expect(await bed.events.history.lastNumber(ORG)).toBe(last));
      };
      const start = bed.clock.ms;
      const clockTo = ({ clock }: Bed, second: number) => (clock.ms = start + second * 1000);
      for (const second of [1, 2, 3]) await tick(second);
      const asker = { organizationId: ORG, connectionId: 'conn_a', createdBy: null };
      await bed.events.subscribers.subscribe(asker, { eventType: 'tick' });
      for (const second of [4, 5]) await tick(second);
      await eventually(() => expect(subscriber.calls.flatMap(({ events }) => events)).toHaveLength(2));
      expect(await bed.events.cancel({ organizationId: 'org_other' }, id)).toBe(false);
      expect(await bed.events.cancel({ organizationId: ORG }, id)).toBe(true);
      expect(await bed.events.cancel({ organizationId: ORG }, id)).toBe(false);
      bed.clock.ms += 10_000;
      const again = await bed.events.schedule(TICK);
      expect(again.id).not.toBe(id);
      bed.clock.ms += 1000;
      await eventually(async () => expect(await bed.events.history.lastNumber(ORG)).toBe(6));
      expect((await fired(bed)).at(-1)?.parleyschedule).toBe(again.id);
    });

    test('after a long pause one late firing is made; a clock that goes back fires nothing twice', async () => {
      const bed = await openBed(open, { limits: { pollMs: 20 } });
      const start = bed.clock.ms;
      await bed.events.schedule({ ...TICK, cron: '0 * * * *' });
      bed.clock.ms = start + 5.5 * 3_600_000;
      bed.events.start();
      await eventually(async () => expect(await instants(bed)).toEqual([start + 3_600_000]));
      bed.clock.ms = start;
      const before = await bed.events.schedule({ ...LATER, deliverAt: start - 1 });
      await eventually(async () => expect((await fired(bed)).at(-1)?.id).toBe(before.id));
      bed.clock.ms = start + 6 * 3_600_000;
      await eventually(async () =>
        expect(await instants(bed)).toEqual([start + 3_600_000, start - 1, start + 6 * 3_600_000]),
      );
    });

    test('an event for later has the id that was promised, and none when it was cancelled', async () => {
      const bed = await openBed(open, { limits: { pollMs: 20 } });
      bed.events.start();
      const at = bed.clock.ms + 60_000;
      const kept = await bed.events.schedule({ ...LATER, deliverAt: at, subject: 'kept', data: { a: 1 } });
      const gone = await bed.events.schedule({ ...LATER, deliverAt: at, subject: 'gone' });
      expect(gone.id).not.toBe(kept.id);
      expect(await fired(bed)).toEqual([]);
      expect(await bed.events.cancel({ organizationId: ORG, source: 'caller/key_2' }, gone.id)).toBe(false);
      expect(await bed.events.cancel({ organizationId: ORG, source: LATER.source }, gone.id)).toBe(true);
      bed.clock.ms = at;
      await eventually(async () => expect(await fired(bed)).toHaveLength(1));
      expect(await fired(bed)).toMatchObject([
        { id: kept.id, subject: 'kept', data: { a: 1 }, time: new Date(at).toISOString() },
      ]);
      await expect(bed.events.schedule({ ...TICK, cron: '0 0 30 2 *' })).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringMatching('^cron: '),
      });
    });

    test('what a source planned ends when it may not publish any more, and nothing is published', async () => {
      const gone = new Set<string>();
      const asked: string[] = [];
      const bed = await openBed(open, {
        limits: { pollMs: 20 },
        mayPublish: async (organizationId, source) => {
          asked.push(organizationId);
          return !gone.has(source);
        },
      });
      const [leaver, stayer] = ['caller/key_leaver', 'caller/key_stayer'];
      const planned = [];
      for (const source of [leaver, stayer]) {
        planned.push(await bed.events.schedule({ ...TICK, source }));
        planned.push(await bed.events.schedule({ ...LATER, source, deliverAt: bed.clock.ms + 2000 }));
      }
      const sources = async () =>
        (await fired(bed)).map(({ source, type }) => `${source} ${type}`).toSorted();
      bed.events.start();
      bed.clock.ms += 1000;
      await eventually(async () => expect(await sources()).toEqual([`${leaver} tick`, `${stayer} tick`]));
      gone.add(leaver);
      bed.clock.ms += 1000;
      const expected = [`${leaver} tick`, `${stayer} later`, `${stayer} tick`, `${stayer} tick`];
      await eventually(async () => expect(await sources()).toEqual(expected));
      expect(new Set(asked)).toEqual(new Set([ORG]));
      // It has ended rather than paused: the right comes back, the schedule does not.
      gone.clear();
      bed.clock.ms += 1000;
      await eventually(async () => expect(await sources()).toEqual([...expected, `${stayer} tick`]));
      const cancelled = [];
      for (const { id } of planned) cancelled.push(await bed.events.cancel({ organizationId: ORG }, id));
      expect(cancelled).toEqual([false, false, true, false]);
      expect(bed.faults).toEqual([]);
    });

    test('a look at the publisher that fails neither fires nor ends anything', async () => {
      const looks = { failing: true };
      const bed = await openBed(open, {
        limits: { pollMs: 20 },
        mayPublish: async () => {
          if (looks.failing) throw new Error('The database is away.');
          return true;
        },
      });
      const { id } = await bed.events.schedule({ ...LATER, deliverAt: bed.clock.ms });
      bed.events.start();
      await eventually(() => expect(bed.faults.length).toBeGreaterThan(1));
      expect(await fired(bed)).toEqual([]);
      looks.failing = false;
      await eventually(async () => expect(await fired(bed)).toMatchObject([{ id }]));
    });

    test('a caller has so many schedules by cron, an organization so many of all', async () => {
      const bed = await openBed(open, { limits: { cronsPerSource: 2, schedulesPerOrganization: 5 } });
      const plan = (source: string, subject: string, once = false) =>
        bed.events
          .schedule({ ...(once ? { ...LATER, deliverAt: bed.clock.ms + 60_000 } : TICK), source, subject })
          .then(
            () => 'made',
            ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
          );
      const perCaller = 'conflict: A caller may have at most 2 schedules by cron. Cancel one first.';
      const perOrganization = 'conflict: An organization may have at most 5 schedules. Cancel one first.';
      const table: [source: string, subject: string, once: boolean, answer: string][] = [
        ['a', '1', false, 'made'],
        ['a', '2', false, 'made'],
        ['a', '3', false, perCaller],
        // The same words again are the schedule that is there.
        ['a', '2', false, 'made'],
        ['a', '3', true, 'made'],
        ['b', '1', false, 'made'],
        ['b', '2', false, 'made'],
        ['c', '1', false, perOrganization],
      ];
      for (const [source, subject, once, answer] of table)
        expect([source, subject, await plan(source, subject, once)]).toEqual([source, subject, answer]);
    });

    test('a cursor never skips an event that committed late', async () => {
      const bed = await openBed(open, { delivers: false });
      const isWritten = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const slow = bed.store.transaction(async (tx) => {
        await bed.events.publish(tx, { organizationId: ORG, source: 'a', type: 'slow' });
        isWritten.resolve();
        await mayCommit.promise;
      });
      await isWritten.promise;
      const quick = bed.events.publishNow({ organizationId: ORG, source: 'a', type: 'quick' });
      // Where writers do not wait for each other, it gets the first number, and whoever reads now goes on behind it.
      if (engine === 'postgres') await quick;
      const early = await fired(bed);
      mayCommit.resolve();
      await Promise.all([slow, quick]);
      const after = early.at(-1)?.parleyseq ?? 0;
      const late = await bed.events.history.events(ORG, { after, types: [], limit: 10 });
      const all = await fired(bed);
      expect([...early, ...late]).toEqual(all);
      const inOrder = engine === 'postgres' ? ['quick', 'slow'] : ['slow', 'quick'];
      expect(all.map(({ type, parleyseq }) => [type, parleyseq])).toEqual(
        inOrder.map((type, index) => [type, index + 1]),
      );
      const query = { after: 0, limit: 10 };
      expect(await bed.events.history.events(ORG, { ...query, after: 1, types: [] })).toEqual([all[1]]);
      expect(await bed.events.history.events(ORG, { ...query, types: ['qui.*', 'slow'] })).toEqual(
        all.filter(({ type }) => type === 'slow'),
      );
      expect(await bed.events.history.events('org_other', { ...query, types: [] })).toEqual([]);
    });
  },
  BED_MIGRATIONS,
);
