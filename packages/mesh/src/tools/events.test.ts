/** The tools on events: results, errors, who acts, and that foreign ids answer like unknown ones. */
import type { Caller } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { connect } from '@parley/kit/testing';
import { createEvents, eventMigrations } from '@parley/events';
import type { Store } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createEventBus } from '../services/event-bus.ts';
import type { MeshServices } from '../services/index.ts';
import { meshToolset } from '../toolset.ts';

const ORG = 'org_test';
const MIGRATIONS = [taskMigrations, eventMigrations];
const UNKNOWN = 'evt_00000000000000000000000000';

/** A key that acts for a connection, and may do nothing but events. */
const BOUND: Partial<Caller> = {
  id: 'key_bound',
  roles: ['member'],
  grants: { self: ['*'] },
  connectionId: 'conn_shop',
};
const MEMBER: Partial<Caller> = { id: 'key_member', roles: ['member'], grants: { self: ['*'] } };
const NARROW: Partial<Caller> = { id: 'key_narrow', grants: { self: ['EVENT_SUBSCRIBE', 'EVENT_PUBLISH'] } };
const STRANGER: Partial<Caller> = { id: 'key_stranger', organizationId: 'org_other' };

const TABLES = ['events', 'event_deliveries', 'event_subscriptions', 'event_schedules', 'event_targets'];

/** Everything that the tools could have changed. */
async function contents(store: Store): Promise<string> {
  const found = [];
  for (const table of TABLES)
    found.push((await sql`select * from ${sql.table(table)} order by id`.execute(store.db())).rows);
  return JSON.stringify(found);
}

onBothEngines(
  'event tools',
  (open) => {
    async function openBed() {
      const store = await open();
      await store.migrate(MIGRATIONS);
      const tasks = createTaskEngine({ store });
      const egress = createEgress();
      const delivered: string[] = [];
      const clock = { ms: 0 };
      const events = createEvents({
        store,
        tasks,
        egress,
        limits: { pollMs: 50 },
        onFault: () => undefined,
        async deliver({ connectionId }, given) {
          delivered.push(...given.map(({ type }) => `${connectionId} ${type}`));
          return { kind: 'answered', answer: { retryAfter: 3_600_000 } };
        },
      });
      tasks.start();
      events.start();
      onTestFinished(async () => {
        await events.stop();
        await tasks.stop();
        await egress.close();
      });
      const known = new Map([
        ['conn_shop', ORG],
        ['conn_b', 'org_other'],
      ]);
      const eventBus = createEventBus({
        events,
        hasConnection: async (organizationId, id) => known.get(id) === organizationId,
        now: () => clock.ms,
      });
      const services = { eventBus } as MeshServices; // the tools under test use no other
      const as = async (caller: Partial<Caller> = {}) => {
        const client = await connect(meshToolset, { services, as: caller });
        onTestFinished(() => client.close());
        return client;
      };
      return { store, events, delivered, clock, as };
    }

    test('an event goes from its publisher to the connection that asked for it, which acknowledges it', async () => {
      const { delivered, as, events } = await openBed();
      const [owner, bound, stranger] = [await as(), await as(BOUND), await as(STRANGER)];
      const { subscription } = await bound.call('EVENT_SUBSCRIBE', { eventType: 'order.*' });
      expect(subscription).toEqual({
        id: expect.stringMatching(/^sub_/),
        connectionId: 'conn_shop',
        eventType: 'order.*',
        publisher: null,
        filter: null,
        enabled: true,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: subscription.createdAt,
      });
      // The same for an owner who names the connection, and twice is as once.
      const same = { eventType: 'order.*', connectionId: 'conn_shop' };
      expect(await owner.call('EVENT_SUBSCRIBE', same)).toEqual({ subscription });

      const published = await owner.call('EVENT_PUBLISH', { type: 'order.paid', data: { total: 1 } });
      expect(published).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'order.paid',
        source: 'caller/caller_test',
        time: expect.stringMatching(/Z$/),
      });
      expect(await bound.call('EVENT_PUBLISH', { type: 'other', subject: 's' })).toMatchObject({
        source: 'conn_shop',
      });
      await stranger.call('EVENT_PUBLISH', { type: 'order.paid' });
      await eventually(() => expect(delivered).toEqual(['conn_shop order.paid']));

      const ack = { eventId: published.id };
      for (const count of [1, 0])
        expect(await bound.call('EVENT_ACK', ack)).toEqual({ success: true, ...ack, acknowledged: count });
      const foreign = await stranger.attempt('EVENT_ACK', ack);
      const unknown = await stranger.attempt('EVENT_ACK', { eventId: UNKNOWN });
      expect(JSON.stringify(foreign).replaceAll(published.id, UNKNOWN)).toBe(JSON.stringify(unknown));
      expect(foreign).toMatchObject({ ok: false, code: 'not_found' });
      expect(await events.history.events(ORG, { after: 0, types: ['other'], limit: 9 })).toMatchObject([
        { subject: 's', source: 'conn_shop' },
      ]);
    });

    test('who may act for which connection', async () => {
      const { as } = await openBed();
      const table = [
        { who: {}, connectionId: undefined, is: 'org_test_self' },
        { who: {}, connectionId: 'conn_shop', is: 'conn_shop' },
        { who: {}, connectionId: 'conn_b', code: 'not_found' },
        { who: {}, connectionId: 'conn_unknown', code: 'not_found' },
        { who: BOUND, connectionId: undefined, is: 'conn_shop' },
        { who: BOUND, connectionId: 'conn_shop', is: 'conn_shop' },
        { who: BOUND, connectionId: 'conn_b', code: 'forbidden' },
        { who: BOUND, connectionId: 'conn_unknown', code: 'forbidden' },
        { who: MEMBER, connectionId: undefined, code: 'connection_required' },
        { who: MEMBER, connectionId: 'conn_shop', code: 'connection_required' },
        // An owner's key that holds less than everything here acts for nobody.
        { who: NARROW, connectionId: 'conn_shop', code: 'connection_required' },
        { who: STRANGER, connectionId: 'conn_shop', code: 'not_found' },
        { who: STRANGER, connectionId: 'org_test_self', code: 'not_found' },
      ];
      for (const { who, connectionId, is, code } of table) {
        const client = await as(who);
        const answer = await client.attempt('EVENT_SUBSCRIBE', { eventType: 'a', connectionId });
        expect([who.id, connectionId, answer]).toMatchObject([
          who.id,
          connectionId,
          is === undefined
            ? { ok: false, code }
            : { ok: true, value: { subscription: { connectionId: is } } },
        ]);
      }
      const self = await as({ ...BOUND, connectionId: 'org_test_self' });
      // Only Parley itself speaks for the organization.
      expect(await self.call('EVENT_PUBLISH', { type: 'a' })).toMatchObject({ source: 'caller/key_bound' });
    });

    test('bad input names its field, and nothing of it is kept', async () => {
      const { as, store } = await openBed();
      const owner = await as();
      const before = await contents(store);
      const refused = [
        ['EVENT_PUBLISH', { type: '' }, 'type'],
        ['EVENT_PUBLISH', { type: 'a.*' }, 'type'],
        ['EVENT_PUBLISH', { type: 'x'.repeat(256) }, 'type'],
        ['EVENT_PUBLISH', { type: 'a\0b' }, 'type'],
        ['EVENT_PUBLISH', { type: 'a', subject: 'x'.repeat(256) }, 'subject'],
        ['EVENT_PUBLISH', { type: 'a', data: 'x'.repeat(256 * 1024) }, 'data'],
        ['EVENT_PUBLISH', { type: 'a', deliverAt: 'tomorrow' }, 'deliverAt'],
        ['EVENT_PUBLISH', { type: 'a', deliverAt: '2030-01-01T00:00:00Z', cron: '* * * * *' }, 'deliverAt'],
        ['EVENT_PUBLISH', { type: 'a', cron: '* * *' }, 'cron'],
        ['EVENT_PUBLISH', { type: 'a', cron: '0 0 30 2 *' }, 'cron'],
        ['EVENT_PUBLISH', { type: 'a', cron: '* * * * *', timezone: 'Nowhere' }, 'timezone'],
        ['EVENT_SUBSCRIBE', { eventType: 'a.*.b' }, 'eventType'],
        ['EVENT_SUBSCRIBE', { eventType: 'a', filter: '$[?' }, 'filter'],
        ['EVENT_SUBSCRIBE', { eventType: 'a', filter: '$[?match(@.a, "x")]' }, 'filter'],
        [
          'EVENT_SYNC_SUBSCRIPTIONS',
          { subscriptions: [{ eventType: 'a' }, { eventType: 'a' }] },
          'subscriptions',
        ],
      ] satisfies [name: string, input: object, field: string][];
      for (const [name, input, field] of refused)
        expect([
          input,
          await owner.attempt(name as 'EVENT_PUBLISH', input as { type: string }),
        ]).toMatchObject([input, { ok: false, code: 'invalid', message: expect.stringContaining(field) }]);
      expect(await contents(store)).toBe(before);
    });

    test('the same twice: sync, unsubscribe and cancel succeed again, and looking changes nothing', async () => {
      const { as, store, events } = await openBed();
      const [owner, bound, other] = [
        await as(),
        await as(BOUND),
        await as({ ...BOUND, id: 'b', connectionId: 'conn_c' }),
      ];
      const subscriptions = [{ eventType: 'a' }, { eventType: 'b', filter: '$.data' }];
      const first = await bound.call('EVENT_SYNC_SUBSCRIPTIONS', { subscriptions });
      expect(first).toMatchObject({ created: 2, updated: 0, deleted: 0, unchanged: 0 });
      expect(await bound.call('EVENT_SYNC_SUBSCRIPTIONS', { subscriptions })).toEqual({
        ...first,
        created: 0,
        unchanged: 2,
      });
      const before = await contents(store);
      for (const client of [owner, bound]) {
        const { subscriptions: list } = await client.call('EVENT_SUBSCRIPTION_LIST', {});
        expect(list).toEqual(first.subscriptions);
      }
      expect(await owner.call('EVENT_SUBSCRIPTION_LIST', { connectionId: 'conn_c' })).toEqual({
        subscriptions: [],
      });
      expect(await contents(store)).toBe(before);

      const subscriptionId = first.subscriptions[0]!.id;
      const remove = { subscriptionId };
      const answers = [
        await (await as(STRANGER)).call('EVENT_UNSUBSCRIBE', remove),
        await other.call('EVENT_UNSUBSCRIBE', remove),
        await bound.call('EVENT_UNSUBSCRIBE', remove),
        await bound.call('EVENT_UNSUBSCRIBE', remove),
      ];
      expect(answers.map(({ removed }) => removed)).toEqual([false, false, true, false]);
      expect(new Set(answers.map((answer) => JSON.stringify(Object.keys(answer)))).size).toBe(1);

      const { id: eventId } = await bound.call('EVENT_PUBLISH', {
        type: 'tick',
        cron: '0 9 * * *',
        timezone: 'Europe/Berlin',
      });
      expect(eventId).toMatch(/^sch_/);
      const cancels = [];
      for (const client of [await as(STRANGER), other, bound, bound])
        cancels.push(await client.call('EVENT_CANCEL', { eventId }));
      expect(cancels.map(({ success, cancelled }) => [success, cancelled])).toEqual([
        [true, false],
        [true, false],
        [true, true],
        [true, false],
      ]);
      const later = await bound.call('EVENT_PUBLISH', { type: 'a', deliverAt: '2099-01-01T00:00:00+02:00' });
      expect(later).toMatchObject({ id: expect.stringMatching(/^evt_/), time: '2098-12-31T22:00:00.000Z' });
      // An owner cancels what others publish.
      expect(await owner.call('EVENT_CANCEL', { eventId: later.id })).toMatchObject({ cancelled: true });
      const past = await bound.call('EVENT_PUBLISH', { type: 'a', deliverAt: '2000-01-01T00:00:00Z' });
      await eventually(async () => {
        const [event] = await events.history.events(ORG, { after: 0, types: [], limit: 9 });
        expect(event).toMatchObject({ id: past.id, time: '2000-01-01T00:00:00.000Z' });
      });
    });

    test('a caller has 200 events at once, and then so many a second', async () => {
      const { as, clock } = await openBed();
      const owner = await as();
      const flood = async (count: number) => {
        const one = () => owner.attempt('EVENT_PUBLISH', { type: 'flood' });
        return Promise.all(Array.from({ length: count }, one));
      };
      expect((await flood(200)).every(({ ok }) => ok)).toBe(true);
      expect(await flood(1)).toMatchObject([
        { ok: false, code: 'rate_limited', data: { retryAfterMs: expect.any(Number) } },
      ]);
      clock.ms += 1000;
      expect((await flood(101)).filter(({ ok }) => ok)).toHaveLength(100);
      expect(await (await as(BOUND)).attempt('EVENT_PUBLISH', { type: 'a' })).toMatchObject({ ok: true });
    });
  },
  MIGRATIONS,
);

test('each event tool is hidden without its grant', async () => {
  const services = {} as MeshServices; // nothing is called
  await using nobody = await connect(meshToolset, { services, as: { roles: ['member'], grants: {} } });
  expect(await nobody.toolNames()).toEqual([]);
  const grants = { self: ['EVENT_ACK'] };
  await using one = await connect(meshToolset, { services, as: { roles: ['member'], grants } });
  expect(await one.toolNames()).toEqual(['EVENT_ACK']);
  const refusal = (name: string) =>
    one.raw.callTool({ name, arguments: {} }).then(
      () => 'called',
      (error: Error) => error.message.replaceAll(name, 'TOOL'),
    );
  expect(await refusal('EVENT_PUBLISH')).toBe(await refusal('EVENT_NOWHERE'));
  expect(await refusal('EVENT_PUBLISH')).not.toBe('called');
});
