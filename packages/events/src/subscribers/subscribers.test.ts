/** Connections that subscribe: what reaches them, how often, and what their answers mean. */
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import type { Bed } from '../../test/bed.ts';
import { BED_MIGRATIONS, openBed, ORG, TestClock } from '../../test/bed.ts';
import { answered, scriptedSubscriber } from '../../test/subscriber.ts';
import { DEFAULT_EVENT_LIMITS } from '../limits.ts';
import type { EventTables } from '../schema.ts';
import { selfOf } from './target.ts';

const CONN = { organizationId: ORG, connectionId: 'conn_shop', createdBy: 'usr_1' };
const SELF = { organizationId: ORG, connectionId: selfOf(ORG), createdBy: null };

const found = (bed: Bed) => bed.events.history.deliveries(ORG, { limit: 100 });
const statuses = async (bed: Bed) =>
  (await found(bed)).toReversed().map(({ event, status, attempts }) => [event.subject, status, attempts]);

onBothEngines(
  'subscribers',
  (open) => {
    async function bedWithSubscriber(options: Parameters<typeof openBed>[1] = {}) {
      const subscriber = scriptedSubscriber();
      const bed = await openBed(open, { deliver: subscriber.deliver, ...options });
      return { subscriber, bed };
    }
    const heard = ({ calls }: ReturnType<typeof scriptedSubscriber>) =>
      calls.map(({ events }) => events.map(({ subject }) => subject));

    test('check 22: type, publisher and filter decide, and a filter that fails is counted', async () => {
      const { subscriber, bed } = await bedWithSubscriber();
      await bed.events.subscribers.subscribe(CONN, { eventType: 'order.*', filter: '$[?@.total > 100]' });
      await bed.events.subscribers.subscribe(CONN, { eventType: 'only.from', publisher: 'shop' });
      const broken = await bed.events.subscribers.subscribe(CONN, { eventType: 'deep', filter: '$..nope' });
      const deep = JSON.parse('['.repeat(80) + ']'.repeat(80)) as unknown;
      const given = [
        { type: 'order.paid', subject: 'small', data: { total: 50 } },
        { type: 'order.paid', subject: 'large', data: { total: 150 } },
        { type: 'orders.paid', subject: 'another type', data: { total: 150 } },
        { type: 'order', subject: 'the prefix alone', data: { total: 150 } },
        { type: 'only.from', subject: 'of another source' },
        { type: 'only.from', subject: 'of the shop', source: 'shop' },
        { type: 'deep', subject: 'too deep', data: deep },
        { type: 'order.paid', subject: 'of others', data: { total: 150 }, organizationId: 'org_other' },
      ];
      for (const event of given) await bed.publish(event);
      await eventually(async () =>
        expect(await statuses(bed)).toEqual([
          ['large', 'delivered', 1],
          ['of the shop', 'delivered', 1],
        ]),
      );
      expect(heard(subscriber).flat()).toEqual(['large', 'of the shop']);
      expect(subscriber.calls[0]?.subscriber).toEqual({
        organizationId: ORG,
        connectionId: 'conn_shop',
        createdBy: ['usr_1'],
      });
      const list = await bed.events.subscribers.list(ORG, 'conn_shop');
      expect(list.filter(({ filterFailures }) => filterFailures > 0)).toEqual([
        { ...broken, filterFailures: 1 },
      ]);
    });

    test('connections that hang hold up those of their own organization alone', async () => {
      const { subscriber, bed } = await bedWithSubscriber({
        limits: { callsAtOnce: 2, callsOfAllAtOnce: 10 },
      });
      const hang = Promise.withResolvers<void>();
      subscriber.script = async ([event]) => {
        if (event?.source === 'hanging') await hang.promise;
        return answered({});
      };
      for (const connectionId of ['conn_1', 'conn_2', 'conn_3', 'conn_4'])
        await bed.events.subscribers.subscribe({ ...CONN, connectionId }, { eventType: '*' });
      const theirs = { organizationId: 'org_other', connectionId: 'conn_theirs', createdBy: 'usr_2' };
      await bed.events.subscribers.subscribe(theirs, { eventType: '*' });
      await bed.publish({ source: 'hanging' });
      await eventually(() => expect(subscriber.calls).toHaveLength(2));
      await bed.publish({ organizationId: 'org_other' });
      await eventually(async () =>
        expect(await bed.events.history.deliveries('org_other', { limit: 10 })).toMatchObject([
          { status: 'delivered' },
        ]),
      );
      expect(subscriber.calls).toHaveLength(3);
      hang.resolve();
      await eventually(() => expect(subscriber.calls).toHaveLength(5));
    });

    test('check 23: an event that two subscriptions of one connection want is sent once, and both have it', async () => {
      const { subscriber, bed } = await bedWithSubscriber({ delivers: false, limits: { eventsPerCall: 3 } });
      await bed.events.subscribers.subscribe(CONN, { eventType: 'post.*' });
      await bed.events.subscribers.subscribe(CONN, { eventType: '*' });
      for (const subject of ['one', 'two', 'three']) await bed.publish({ subject });
      bed.tasks.start();
      await eventually(async () =>
        expect((await found(bed)).map(({ status }) => status)).toEqual(Array(6).fill('delivered')),
      );
      expect(heard(subscriber).flat()).toEqual(['one', 'two', 'three']);
      const rows = await bed.store.db<EventTables>().selectFrom('events').select('status').execute();
      expect(rows.map(({ status }) => status)).toEqual(Array(3).fill('delivered'));
    });

    test('check 24: tried again after 1, 2, 4 seconds; dead after 20 attempts, listed, and started again', async () => {
      const { subscriber, bed } = await bedWithSubscriber();
      await bed.events.subscribers.subscribe(CONN, { eventType: '*' });
      subscriber.script = () => ({ kind: 'failed', error: 'It is down.' });
      await bed.publish({ subject: 'a' });
      for (const [index, delayMs] of DEFAULT_EVENT_LIMITS.subscriberRetryDelaysMs.entries()) {
        const attempts = index + 1;
        const [delivery] = await eventually(async () => {
          const list = await found(bed);
          expect(list).toMatchObject([{ status: 'pending', attempts, lastError: 'It is down.' }]);
          return list;
        });
        const waitMs = (delivery?.nextAt ?? 0) - bed.clock.ms;
        expect(waitMs).toBeGreaterThanOrEqual(delayMs);
        expect(waitMs).toBeLessThanOrEqual(delayMs * 1.1 + 1);
        await bed.turn(waitMs);
      }
      await eventually(async () => expect(await statuses(bed)).toEqual([['a', 'dead', 20]]));
      expect(DEFAULT_EVENT_LIMITS.subscriberRetryDelaysMs.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
      expect(subscriber.calls).toHaveLength(20);
      const [dead] = await bed.events.history.deliveries(ORG, { status: 'dead', limit: 10 });
      subscriber.script = () => answered({ success: true });
      await bed.events.history.retry(ORG, dead?.id ?? '');
      await eventually(async () => expect(await statuses(bed)).toEqual([['a', 'delivered', 1]]));
      await expect(bed.events.history.retry('org_other', dead?.id ?? '')).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    test('check 25: more time costs no attempt, and the subscriber may say itself that it is done', async () => {
      const { subscriber, bed } = await bedWithSubscriber();
      await bed.events.subscribers.subscribe(CONN, { eventType: '*' });
      subscriber.script = () => answered({ retryAfter: 5000 });
      const id = await bed.publish({ subject: 'a' });
      await eventually(async () =>
        expect(await found(bed)).toMatchObject([
          { status: 'pending', attempts: 0, nextAt: bed.clock.ms + 5000 },
        ]),
      );
      await bed.turn(4999);
      await bed.idle();
      expect(subscriber.calls).toHaveLength(1);
      const place = { organizationId: ORG, connectionId: 'conn_shop' };
      expect(await bed.events.subscribers.acknowledge({ ...place, organizationId: 'org_other' }, id)).toBe(
        undefined,
      );
      expect(await bed.events.subscribers.acknowledge({ ...place, connectionId: 'conn_b' }, id)).toBe(
        undefined,
      );
      expect(await bed.events.subscribers.acknowledge(place, id)).toBe(1);
      expect(await statuses(bed)).toEqual([['a', 'delivered', 0]]);
      expect(await bed.events.subscribers.acknowledge(place, id)).toBe(0);
      await bed.turn(10_000);
      await bed.idle();
      expect(subscriber.calls).toHaveLength(1);
    });

    test('the answer for one event counts before the answer for all, and a bad answer is a failure', async () => {
      const { subscriber, bed } = await bedWithSubscriber({ delivers: false });
      await bed.events.subscribers.subscribe(CONN, { eventType: '*' });
      const subjects = ['good', 'bad', 'later', 'silent'];
      for (const subject of subjects) await bed.publish({ subject });
      subscriber.script = (events) => {
        const id = (subject: string) => events.find((event) => event.subject === subject)?.id ?? '';
        return answered({
          success: false,
          error: 'The rest failed.',
          results: {
            [id('good')]: { success: true },
            [id('bad')]: { error: 'This one failed.' },
            [id('later')]: { retryAfter: 60_000 },
            evt_unknown: { success: true },
          },
        });
      };
      bed.tasks.start();
      await eventually(async () =>
        expect((await found(bed)).toReversed()).toMatchObject([
          { status: 'delivered', attempts: 1 },
          { status: 'pending', attempts: 1, lastError: 'This one failed.' },
          { status: 'pending', attempts: 0, nextAt: bed.clock.ms + 60_000 },
          { status: 'pending', attempts: 1, lastError: 'The rest failed.' },
        ]),
      );
      subscriber.script = () => answered({ results: 'nonsense' });
      await bed.turn(1100);
      await eventually(async () =>
        expect((await found(bed)).map(({ attempts }) => attempts)).toEqual([2, 0, 2, 1]),
      );
    });

    test('declined is dead at once; 401 pauses without using attempts; a call that hangs is cut off', async () => {
      const { subscriber, bed } = await bedWithSubscriber({ limits: { callMs: 100 } });
      await bed.events.subscribers.subscribe(CONN, { eventType: '*' });
      subscriber.script = () => ({ kind: 'declined', error: 'It has no ON_EVENTS tool.' });
      await bed.publish({ subject: 'declined' });
      await eventually(async () => expect(await statuses(bed)).toEqual([['declined', 'dead', 1]]));

      subscriber.script = () => ({ kind: 'unauthorized', error: 'It answered 401.' });
      await bed.publish({ subject: 'paused' });
      await eventually(async () => {
        const [newest] = await found(bed);
        expect(newest).toMatchObject({ status: 'pending', attempts: 0, lastError: 'It answered 401.' });
      });
      await bed.publish({ subject: 'behind' });
      await bed.turn(DEFAULT_EVENT_LIMITS.pollMs * 2);
      bed.events.start();
      await bed.idle();
      expect(heard(subscriber).flat()).toEqual(['declined', 'paused']);

      // Never answers, and does not listen to its signal either.
      subscriber.script = () => new Promise(() => undefined);
      await bed.events.subscribers.resume(ORG, 'conn_shop');
      await eventually(async () =>
        expect((await found(bed)).slice(0, 2)).toMatchObject([
          { status: 'pending', attempts: 1, lastError: 'The subscriber did not answer within 0.1 seconds.' },
          { status: 'pending', attempts: 1 },
        ]),
      );
      await bed.store.transaction((tx) => bed.events.subscribers.forget(tx, ORG, 'conn_shop'));
      expect(await statuses(bed)).toEqual([
        ['declined', 'dead', 1],
        ['paused', 'dead', 1],
        ['behind', 'dead', 1],
      ]);
      expect(await bed.events.subscribers.list(ORG)).toEqual([]);
      expect(bed.faults).toEqual([]);
    });

    test('check 27: a replica that starts does not send again what another one holds', async () => {
      const clock = new TestClock();
      const { subscriber, bed } = await bedWithSubscriber({ clock });
      await bed.events.subscribers.subscribe(CONN, { eventType: '*' });
      const mayAnswer = Promise.withResolvers<void>();
      subscriber.script = async () => {
        await mayAnswer.promise;
        return answered({});
      };
      await bed.publish({ subject: 'held' });
      await eventually(() => expect(subscriber.calls).toHaveLength(1));
      const other = await openBed(open, { deliver: subscriber.deliver, clock, limits: { pollMs: 10 } });
      other.events.start();
      const idle = { organizationId: ORG, connectionId: 'conn_other', createdBy: null };
      await other.events.subscribers.subscribe(idle, { eventType: 'other' });
      // The second one is at work by the time that this arrives.
      subscriber.script = () => answered({});
      await other.publish({ subject: 'of another', type: 'other', organizationId: ORG });
      await eventually(() => expect(heard(subscriber).flat()).toContain('of another'));
      expect(
        heard(subscriber)
          .flat()
          .filter((subject) => subject === 'held'),
      ).toHaveLength(1);
      mayAnswer.resolve();
      await eventually(async () =>
        expect((await statuses(bed)).filter(([subject]) => subject === 'held')).toEqual([
          ['held', 'delivered', 1],
        ]),
      );
    });

    test('the organization itself: a handler takes its types, the others wait to be acknowledged', async () => {
      const { subscriber, bed } = await bedWithSubscriber();
      const taken: (string | undefined)[] = [];
      bed.events.subscribers.handle('post.*', async (_organizationId, events) => {
        taken.push(...events.map(({ subject }) => subject));
      });
      await bed.events.subscribers.subscribe(SELF, { eventType: '*' });
      await bed.publish({ subject: 'handled' });
      const id = await bed.publish({ subject: 'waits', type: 'other' });
      await eventually(async () =>
        expect((await found(bed)).toReversed()).toMatchObject([
          { status: 'delivered', attempts: 1 },
          { status: 'pending', attempts: 0, lastError: expect.stringContaining('EVENT_ACK') },
        ]),
      );
      expect(taken).toEqual(['handled']);
      bed.events.subscribers.handle('broken', () => Promise.reject(new Error('canary')));
      await bed.publish({ subject: 'fault', type: 'broken' });
      const [fault] = await eventually(async () => {
        const list = await found(bed);
        expect(list[0]).toMatchObject({ attempts: 1, status: 'pending' });
        return list;
      });
      // Whoever looks at deliveries learns nothing of what went wrong inside.
      expect(fault?.lastError).toBe('The subscriber could not be called.');
      expect(String(bed.faults)).toContain('canary');
      await bed.events.cancel({ organizationId: ORG }, fault?.event.id ?? '');
      expect(await bed.events.subscribers.acknowledge(SELF, id)).toBe(1);
      expect(subscriber.calls).toEqual([]);
      // Nobody acknowledges this one.
      await bed.publish({ subject: 'forgotten', type: 'other' });
      await eventually(async () =>
        expect((await found(bed))[0]).toMatchObject({ lastError: expect.stringContaining('EVENT_ACK') }),
      );
      await bed.turn(DEFAULT_EVENT_LIMITS.keepMs + 1);
      // One that is being tried once more at this moment is left for the next sweep.
      await eventually(async () => {
        await bed.events.sweep();
        expect(await statuses(bed)).toEqual([['forgotten', 'dead', 0]]);
      });
    });

    test('the same twice is the same once: subscribe, sync, unsubscribe, cancel', async () => {
      const { bed } = await bedWithSubscriber({ delivers: false, limits: { subscriptionsPerConnection: 3 } });
      const { subscribers } = bed.events;
      const wanted = { eventType: 'a.*', filter: '$.data' };
      const first = await subscribers.subscribe(CONN, wanted);
      expect(await subscribers.subscribe(CONN, wanted)).toEqual(first);
      const list = [{ eventType: 'a.*' }, { eventType: 'b', publisher: 'shop' }];
      expect(await subscribers.sync(CONN, list)).toMatchObject({
        created: 1,
        updated: 1,
        deleted: 0,
        unchanged: 0,
        subscriptions: [{ id: first.id, filter: null }, { publisher: 'shop' }],
      });
      expect(await subscribers.sync(CONN, list)).toMatchObject({
        created: 0,
        updated: 0,
        deleted: 0,
        unchanged: 2,
      });
      const event = await bed.publish({ type: 'a.b' });
      await expect(subscribers.sync(CONN, [list[0]!, list[0]!])).rejects.toMatchObject({ code: 'invalid' });
      const many = ['a', 'b', 'c', 'd'].map((eventType) => ({ eventType }));
      await expect(subscribers.sync(CONN, many)).rejects.toMatchObject({ code: 'conflict' });
      for (const place of [{ organizationId: 'org_other' }, { organizationId: ORG, connectionId: 'conn_b' }])
        expect(await subscribers.unsubscribe(place, first.id)).toBe(false);
      expect(await bed.events.cancel({ organizationId: ORG, source: 'somebody else' }, event)).toBe(false);
      expect(await bed.events.cancel({ organizationId: 'org_other' }, event)).toBe(false);
      expect(await bed.events.cancel({ organizationId: ORG, source: 'feedback' }, event)).toBe(true);
      expect(await bed.events.cancel({ organizationId: ORG, source: 'feedback' }, event)).toBe(false);
      expect(await statuses(bed)).toEqual([[undefined, 'cancelled', 0]]);
      await bed.publish({ type: 'a.c', subject: 'open' });
      expect(await subscribers.unsubscribe(CONN, first.id)).toBe(true);
      expect(await subscribers.unsubscribe(CONN, first.id)).toBe(false);
      expect((await statuses(bed)).at(-1)).toEqual(['open', 'cancelled', 0]);
      expect(await subscribers.list(ORG)).toHaveLength(1);
      expect(await subscribers.list('org_other')).toEqual([]);
    });
  },
  BED_MIGRATIONS,
);
