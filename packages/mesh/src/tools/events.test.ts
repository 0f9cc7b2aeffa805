/** The tools on events: results, errors, who acts, and that foreign ids answer like unknown ones. */
import type { Caller } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { http, made, newScene } from '../../test/scene.ts';
import type { MeshServices } from '../services/index.ts';
import { meshToolset } from '../toolset.ts';

const UNKNOWN = 'evt_00000000000000000000000000';

const MEMBER: Partial<Caller> = { id: 'key_member', roles: ['member'], grants: { self: ['*'] } };
const NARROW: Partial<Caller> = { id: 'key_narrow', grants: { self: ['EVENT_SUBSCRIBE', 'EVENT_PUBLISH'] } };

const EVENT_TABLES = [
  'events',
  'event_deliveries',
  'event_subscriptions',
  'event_schedules',
  'event_targets',
];

/** What was delivered, as connection and type. */
const delivered: string[] = [];

onBothMeshes(
  'event tools',
  (bed) => {
    /** Two organizations with a connection each, and callers of theirs. */
    async function openScene() {
      const scene = await newScene(bed());
      const { as, own, foreign, tables } = scene;
      const stranger: Partial<Caller> = { id: 'key_stranger', organizationId: foreign };
      const { id: shop } = await made(await as(), http('Shop'));
      const { id: theirs } = await made(await as(stranger), http('Theirs'));
      /** A key that acts for a connection, and may do nothing but events. */
      const bound: Partial<Caller> = { ...MEMBER, id: 'key_bound', connectionId: shop };
      /** Everything that the tools could have changed, while others have theirs delivered. */
      const contents = async () => {
        const all = await tables();
        return EVENT_TABLES.map((name) => all[name]?.filter((row) => row.includes(own)));
      };
      return { ...scene, self: `${own}_self`, shop, theirs, bound, stranger, contents };
    }

    test('an event goes from its publisher to the connection that asked for it, which acknowledges it', async () => {
      const { as, own, shop, ...who } = await openScene();
      const [owner, bound, stranger] = [await as(), await as(who.bound), await as(who.stranger)];
      const { subscription } = await bound.call('EVENT_SUBSCRIBE', { eventType: 'order.*' });
      expect(subscription).toEqual({
        id: expect.stringMatching(/^sub_/),
        connectionId: shop,
        eventType: 'order.*',
        publisher: null,
        filter: null,
        enabled: true,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: subscription.createdAt,
      });
      // The same for an owner who names the connection, and twice is as once.
      const same = { eventType: 'order.*', connectionId: shop };
      expect(await owner.call('EVENT_SUBSCRIBE', same)).toEqual({ subscription });

      const published = await owner.call('EVENT_PUBLISH', { type: 'order.paid', data: { total: 1 } });
      expect(published).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'order.paid',
        source: `caller/${who.owner.caller.id}`,
        time: expect.stringMatching(/Z$/),
      });
      expect(await bound.call('EVENT_PUBLISH', { type: 'other', subject: 's' })).toMatchObject({
        source: shop,
      });
      await stranger.call('EVENT_PUBLISH', { type: 'order.paid' });
      const toShop = () => delivered.filter((text) => text.startsWith(shop));
      await eventually(() => expect(toShop()).toEqual([`${shop} order.paid`]));

      const ack = { eventId: published.id };
      for (const count of [1, 0])
        expect(await bound.call('EVENT_ACK', ack)).toEqual({ success: true, ...ack, acknowledged: count });
      const foreign = await stranger.attempt('EVENT_ACK', ack);
      const unknown = await stranger.attempt('EVENT_ACK', { eventId: UNKNOWN });
      expect(JSON.stringify(foreign).replaceAll(published.id, UNKNOWN)).toBe(JSON.stringify(unknown));
      expect(foreign).toMatchObject({ ok: false, code: 'not_found' });
      const { history } = bed().events;
      expect(await history.events(own, { after: 0, types: ['other'], limit: 9 })).toMatchObject([
        { subject: 's', source: shop },
      ]);
    });

    test('who may act for which connection', async () => {
      const { as, self, shop, theirs, bound, stranger } = await openScene();
      const table = [
        { who: {}, connectionId: undefined, is: self },
        { who: {}, connectionId: shop, is: shop },
        { who: {}, connectionId: theirs, code: 'not_found' },
        { who: {}, connectionId: 'conn_unknown', code: 'not_found' },
        { who: bound, connectionId: undefined, is: shop },
        { who: bound, connectionId: shop, is: shop },
        { who: bound, connectionId: theirs, code: 'forbidden' },
        { who: bound, connectionId: 'conn_unknown', code: 'forbidden' },
        { who: MEMBER, connectionId: undefined, code: 'connection_required' },
        { who: MEMBER, connectionId: shop, code: 'connection_required' },
        // An owner's key that holds less than everything here acts for nobody.
        { who: NARROW, connectionId: shop, code: 'connection_required' },
        { who: stranger, connectionId: shop, code: 'not_found' },
        { who: stranger, connectionId: self, code: 'not_found' },
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
      const itself = await as({ ...bound, connectionId: self });
      // Only Parley itself speaks for the organization.
      expect(await itself.call('EVENT_PUBLISH', { type: 'a' })).toMatchObject({ source: 'caller/key_bound' });
    });

    test('a key of a connection sees the subscriptions of its own and of no other', async () => {
      const { as, own, shop, bound } = await openScene();
      const owner = await as();
      const { id: other } = await made(owner, http('Other'));
      for (const connectionId of [shop, other])
        await owner.call('EVENT_SUBSCRIBE', { eventType: `${own}.a`, connectionId });
      const table: { who: Partial<Caller>; named?: string; sees: string[] | string }[] = [
        { who: bound, sees: [shop] },
        { who: bound, named: shop, sees: [shop] },
        { who: bound, named: other, sees: 'forbidden' },
        { who: bound, named: 'conn_unknown', sees: 'forbidden' },
        // An owner's key for a few tools is no owner here.
        { who: { grants: { self: ['EVENT_SUBSCRIPTION_LIST'] }, connectionId: other }, sees: [other] },
        { who: { connectionId: shop }, sees: [shop, other] },
        { who: { connectionId: shop }, named: other, sees: [other] },
        { who: MEMBER, sees: [shop, other] },
      ];
      for (const { who, named: connectionId, sees } of table) {
        const answer = await (await as(who)).attempt('EVENT_SUBSCRIPTION_LIST', { connectionId });
        const seen = answer.ok ? answer.value.subscriptions.map((item) => item.connectionId) : answer.code;
        expect([who, connectionId, [seen].flat().toSorted()]).toEqual([
          who,
          connectionId,
          [sees].flat().toSorted(),
        ]);
      }
    });

    test('bad input names its field, and nothing of it is kept', async () => {
      const { as, contents } = await openScene();
      const owner = await as();
      const before = await contents();
      const refused = [
        ['EVENT_PUBLISH', { type: '' }, 'type'],
        ['EVENT_PUBLISH', { type: 'a.*' }, 'type'],
        ['EVENT_PUBLISH', { type: ' \t' }, 'type'],
        ['EVENT_PUBLISH', { type: '. .' }, 'type'],
        ['EVENT_PUBLISH', { type: 'key.created' }, 'published by Parley itself'],
        ['EVENT_PUBLISH', { type: 'task.failed', cron: '* * * * *' }, 'published by Parley itself'],
        ['EVENT_PUBLISH', { type: 'a', timezone: 'Europe/Berlin' }, 'timezone'],
        ['EVENT_PUBLISH', { type: 'x'.repeat(256) }, 'type'],
        ['EVENT_PUBLISH', { type: 'a\0b' }, 'type'],
        ['EVENT_PUBLISH', { type: 'a', subject: 'x'.repeat(256) }, 'subject'],
        ['EVENT_PUBLISH', { type: 'a', data: 'x'.repeat(256 * 1024) }, 'data'],
        ['EVENT_PUBLISH', { type: 'a', deliverAt: 'tomorrow' }, 'deliverAt'],
        ['EVENT_PUBLISH', { type: 'a', deliverAt: '2030-01-01T00:00:00' }, 'with Z or an offset'],
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
      expect(await contents()).toEqual(before);
    });

    test('the same twice: sync, unsubscribe and cancel succeed again, and looking changes nothing', async () => {
      const { as, own, contents, ...who } = await openScene();
      const [owner, bound, other] = [
        await as(),
        await as(who.bound),
        await as({ ...who.bound, id: 'b', connectionId: 'conn_c' }),
      ];
      const subscriptions = [{ eventType: 'a' }, { eventType: 'b', filter: '$.data' }];
      const first = await bound.call('EVENT_SYNC_SUBSCRIPTIONS', { subscriptions });
      expect(first).toMatchObject({ created: 2, updated: 0, deleted: 0, unchanged: 0 });
      expect(await bound.call('EVENT_SYNC_SUBSCRIPTIONS', { subscriptions })).toEqual({
        ...first,
        created: 0,
        unchanged: 2,
      });
      const before = await contents();
      for (const client of [owner, bound]) {
        const { subscriptions: list } = await client.call('EVENT_SUBSCRIPTION_LIST', {});
        expect(list).toEqual(first.subscriptions);
      }
      expect(await owner.call('EVENT_SUBSCRIPTION_LIST', { connectionId: 'conn_c' })).toEqual({
        subscriptions: [],
      });
      expect(await contents()).toEqual(before);

      const subscriptionId = first.subscriptions[0]!.id;
      const remove = { subscriptionId };
      const answers = [
        await (await as(who.stranger)).call('EVENT_UNSUBSCRIBE', remove),
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
      for (const client of [await as(who.stranger), other, bound, bound])
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
        const { history } = bed().events;
        const [event] = await history.events(own, { after: 0, types: ['a'], limit: 9 });
        expect(event).toMatchObject({ id: past.id, time: '2000-01-01T00:00:00.000Z' });
      });
    });

    test('a caller has 200 events at once, and then so many a second', async () => {
      const { as, bound } = await openScene();
      const owner = await as();
      const flood = async (count: number) => {
        const one = () => owner.attempt('EVENT_PUBLISH', { type: 'flood' });
        return Promise.all(Array.from({ length: count }, one));
      };
      expect((await flood(200)).every(({ ok }) => ok)).toBe(true);
      expect(await flood(1)).toMatchObject([
        { ok: false, code: 'rate_limited', data: { retryAfterMs: expect.any(Number) } },
      ]);
      bed().clock.nowMs += 1000;
      expect((await flood(101)).filter(({ ok }) => ok)).toHaveLength(100);
      expect(await (await as(bound)).attempt('EVENT_PUBLISH', { type: 'a' })).toMatchObject({ ok: true });
    });
  },
  () => ({
    events: {
      limits: { pollMs: 50 },
      async deliver({ connectionId }, given) {
        delivered.push(...given.map(({ type }) => `${connectionId} ${type}`));
        return { kind: 'answered', answer: { retryAfter: 3_600_000 } };
      },
    },
  }),
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
