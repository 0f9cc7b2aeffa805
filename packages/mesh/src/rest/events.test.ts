/** The routes of events over HTTP: publishing, replay by cursor, watching on any replica, dead letters. */
import type { Grants } from '@parley/kit';
import { detach } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { MACHINE_CLOCK } from '../../test/mesh-process.ts';
import { newScene } from '../../test/scene.ts';
import { serveRoutes } from '../../test/serve-routes.ts';

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function ask(url: string, key: string, { method = 'GET', body, headers = {} }: Asked = {}) {
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, json: text === '' ? {} : JSON.parse(text) };
}

/** Reads a stream of events until the test ends. */
async function watch(url: string, key: string, lastEventId?: string) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const answer = await fetch(url, {
    signal: stop.signal,
    headers: { authorization: `Bearer ${key}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
  });
  const seen: { id: string; type: string }[] = [];
  let isEnded = false;
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const whole = text.split('\n\n');
      text = whole.pop() ?? '';
      for (const message of whole) {
        const [, id = '', data = ''] = /^id: (\d+)\ndata: (.*)$/.exec(message) ?? [];
        if (id !== '') seen.push({ id, type: (JSON.parse(data) as { type: string }).type });
      }
    }
  };
  const noteEnd = () => {
    isEnded = true;
  };
  // However it ends, the test asks whether it has.
  detach(read().then(noteEnd), noteEnd);
  return { status: answer.status, seen, isEnded: () => isEnded, stop: () => stop.abort() };
}

onBothMeshes(
  'event routes',
  (bed, openReplica) => {
    /** Two organizations, and new keys of their owners. */
    const twoOrganizations = async () => {
      const { own, foreign, owner, stranger, keyOf } = await newScene(bed());
      const place = (id: string, { caller }: typeof owner) => ({
        organizationId: id,
        founder: caller,
        keyWith: (grants: Grants) => keyOf(caller, grants),
      });
      return [place(own, owner), place(foreign, stranger)] as const;
    };

    test('the newest come first, with what became of them, and one has its deliveries', async () => {
      const { url } = await serveRoutes(bed());
      const [acme, other] = await twoOrganizations();
      const { key } = await acme.keyWith({ '*': ['*'] });
      const place = `${url}/api/organizations/${acme.organizationId}`;
      const { json: start } = await ask(`${place}/events/newest`, key);
      const made: string[] = [];
      for (const subject of ['a', 'b', 'a'])
        made.push(
          (await ask(`${url}/api/events`, key, { method: 'POST', body: { type: 'order.paid', subject } }))
            .json.data.id,
        );
      const newest = async (query = '') => (await ask(`${place}/events/newest${query}`, key)).json.data;
      const ids = ({ items }: { items: { event: { id: string } }[] }) => items.map(({ event }) => event.id);
      const first = await newest('?limit=2&types=order.*');
      expect([ids(first), first.newest]).toEqual([[made[2], made[1]], String(Number(start.data.newest) + 3)]);
      expect(ids(await newest(`?limit=2&types=order.*&before=${first.cursor}`))).toEqual([made[0]]);
      expect(ids(await newest('?subject=a'))).toEqual([made[2], made[0]]);
      const oldest = await newest('?limit=2&types=order.*&order=asc');
      expect(ids(oldest)).toEqual([made[0], made[1]]);
      expect(ids(await newest(`?limit=2&types=order.*&order=asc&before=${oldest.cursor}`))).toEqual([
        made[2],
      ]);
      expect(ids(await newest('?source=nobody'))).toEqual([]);
      expect(await newest('?status=failed')).toMatchObject({ items: [], cursor: null });
      const one = await ask(`${place}/events/${made[0]}`, key);
      expect(one.json.data).toMatchObject({
        event: { id: made[0], type: 'order.paid', subject: 'a' },
        status: 'delivered',
        deliveries: [],
      });
      const foreign = await other.keyWith({ '*': ['*'] });
      const theirs = `${url}/api/organizations/${other.organizationId}/events`;
      expect(await ask(`${theirs}/${made[0]}`, foreign.key)).toEqual(
        await ask(`${theirs}/evt_nobody`, foreign.key),
      );
    });

    test('webhooks are made with a secret that is shown once, changed, rotated and removed', async () => {
      const { url } = await serveRoutes(bed());
      const [acme, other] = await twoOrganizations();
      const { key } = await acme.keyWith({ '*': ['*'] });
      const place = `${url}/api/organizations/${acme.organizationId}/webhooks`;
      const send = (method: string, path = '', body?: unknown) =>
        ask(`${place}${path}`, key, { method, ...(body !== undefined && { body }) });
      const made = await send('POST', '', { url: 'https://1.1.1.1/hook', events: ['order.*'] });
      expect([made.status, made.json.data.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
      const { id } = made.json.data;
      const { text } = await send('GET');
      expect(text).not.toContain('whsec_');
      expect(JSON.parse(text).data).toMatchObject([{ id, state: 'enabled', last: { outcome: 'none' } }]);
      const off = await send('PATCH', `/${id}`, { enabled: false, events: ['*'] });
      expect(off.json.data).toMatchObject({ state: 'disabled', events: ['*'] });
      const rotated = await send('POST', `/${id}/rotate`, {});
      expect(rotated.json.data.secret).not.toBe(made.json.data.secret);
      expect((await send('POST', '', { url: 'http://127.0.0.1/', events: ['*'] })).text).toContain('url');
      const narrow = await acme.keyWith({ self: ['webhooks_manage'] });
      expect((await ask(place, narrow.key)).status).toBe(403);
      const foreign = await other.keyWith({ '*': ['*'] });
      const theirs = `${url}/api/organizations/${other.organizationId}/webhooks`;
      const removed = { method: 'DELETE' };
      expect((await ask(`${theirs}/${id}`, foreign.key, removed)).status).toBe(404);
      expect((await send('DELETE', `/${id}`)).status).toBe(204);
      expect((await send('GET')).json.data).toEqual([]);
    });

    test('publishing, replay by cursor, and checks of who may', async () => {
      const replica = await serveRoutes(bed());
      const [acme, other] = await twoOrganizations();
      const [all, narrow, foreign] = [
        await acme.keyWith({ self: ['EVENT_PUBLISH', 'EVENT_SUBSCRIBE'] }),
        await acme.keyWith({ self: ['USER_GET'] }),
        await other.keyWith({ '*': ['*'] }),
      ];
      const publish = (key: string, body: unknown, headers: Record<string, string> = {}) =>
        ask(`${replica.url}/api/events`, key, { method: 'POST', body, headers });
      const forged = {
        'x-parley-caller': 'conn_evil',
        'x-caller-id': 'conn_evil',
        'x-organization-id': other.organizationId,
        'x-parley-organization': other.organizationId,
      };
      const first = await publish(all.key, { type: 'order.paid', data: { total: 1 } }, forged);
      // check 30: nothing in a header says who publishes.
      expect([first.status, first.json.data]).toMatchObject([
        200,
        { type: 'order.paid', source: `caller/${all.keyId}` },
      ]);
      for (const type of ['order.sent', 'post.created', 'order.paid']) await publish(all.key, { type });
      const events = `${replica.url}/api/organizations/${acme.organizationId}/events`;
      const page = await ask(`${events}?types=order.*&limit=2`, all.key);
      expect(page.json.data).toMatchObject({
        events: [{ id: first.json.data.id, parleyseq: 1, data: { total: 1 } }, { parleyseq: 2 }],
        cursor: '2',
        hasMore: true,
      });
      const rest = await ask(`${events}?types=order.*&limit=2&after=${page.json.data.cursor}`, all.key);
      expect(rest.json.data).toMatchObject({ events: [{ parleyseq: 4 }], cursor: '4', hasMore: false });

      // As in every list over REST: a number outside the bounds is moved, and what is none is refused.
      for (const [limit, found] of [
        ['0', 1],
        ['-1', 1],
        ['99999', 3],
        ['x', undefined],
      ] as const) {
        const { status, json } = await ask(`${events}?types=order.*&limit=${limit}`, all.key);
        expect([limit, status, json.data?.events.length]).toEqual([
          limit,
          found === undefined ? 400 : 200,
          found,
        ]);
      }

      const foreignEvents = `${replica.url}/api/organizations/${other.organizationId}/events`;
      const table: [url: string, key: string, asked: Asked, status: number][] = [
        [`${replica.url}/api/events`, 'parley_no_key', { method: 'POST', body: { type: 'a' } }, 401],
        [`${replica.url}/api/events`, narrow.key, { method: 'POST', body: { type: 'a' } }, 403],
        [`${replica.url}/api/events`, all.key, { method: 'POST', body: { type: 'a', extra: 1 } }, 400],
        [`${replica.url}/api/events`, all.key, { method: 'POST', body: { type: 'a.*' } }, 400],
        [events, narrow.key, {}, 403],
        [events, foreign.key, {}, 404],
        [foreignEvents, all.key, {}, 404],
        [`${events}?after=-1`, all.key, {}, 400],
        [`${events}?types=a*`, all.key, {}, 400],
        [`${events}?types=${'a,'.repeat(60)}`, all.key, {}, 400],
        // check 29: another organization's stream is not there.
        [foreignEvents.replace('events', 'watch'), all.key, {}, 404],
        [events.replace('events', 'watch'), foreign.key, {}, 404],
        [events.replace('events', 'watch'), narrow.key, {}, 403],
      ];
      for (const [url, key, asked, status] of table)
        expect([url, (await ask(url, key, asked)).status]).toEqual([url, status]);
      const unknown = await ask(`${replica.url}/api/organizations/org_unknown/events`, all.key);
      expect((await ask(foreignEvents, all.key)).text).toBe(unknown.text);
      expect((await ask(events, all.key)).json.data.events).toHaveLength(4);
    });

    test('check 29: a watcher hears of every replica, goes on where it was, and ends with its key', async () => {
      const feeds = { keepAliveMs: 100, perOrganization: 2 };
      const one = await serveRoutes(bed(), { feeds });
      const two = await serveRoutes(await openReplica(), { feeds });
      const [{ organizationId, founder, keyWith }] = await twoOrganizations();
      const key = await keyWith({ self: ['EVENT_SUBSCRIBE'] });
      const url = `/api/organizations/${organizationId}/watch`;
      const say = (events: typeof one.events, type: string) =>
        events.publishNow({ organizationId, source: 'test', type });
      await say(one.events, 'before');
      const here = await watch(`${one.url}${url}?types=a.*,c`, key.key);
      const there = await watch(`${two.url}${url}`, key.key);
      await say(one.events, 'a.b');
      await say(two.events, 'b');
      await say(two.events, 'c');
      await one.events.publishNow({ organizationId: 'org_other', source: 'test', type: 'c' });
      await eventually(() => expect(there.seen.map(({ type }) => type)).toEqual(['a.b', 'b', 'c']));
      await eventually(() => expect(here.seen.map(({ type }) => type)).toEqual(['a.b', 'c']));

      here.stop();
      await eventually(() => expect(here.isEnded()).toBe(true));
      await say(one.events, 'a.d');
      await say(two.events, 'c');
      const again = await watch(`${two.url}${url}?types=a.*,c`, key.key, here.seen.at(-1)?.id);
      await eventually(() => expect(again.seen.map(({ type }) => type)).toEqual(['a.d', 'c']));

      // Two are open on the second replica: there is no place for a third.
      const third = await ask(`${two.url}${url}`, key.key);
      expect([third.status, third.json.error.code]).toEqual([429, 'RATE_LIMITED']);
      await one.identity.revokeKey(founder, key.keyId);
      await eventually(() => expect([there.isEnded(), again.isEnded()]).toEqual([true, true]));
      expect([one.faults, two.faults]).toEqual([[], []]);
    });

    test('what is still to be published is listed, the next first, for its organization alone', async () => {
      const replica = await serveRoutes(bed());
      const [acme, other] = await twoOrganizations();
      const key = await acme.keyWith({ self: ['EVENT_PUBLISH', 'EVENT_SUBSCRIBE'] });
      const [narrow, foreign] = [
        await acme.keyWith({ self: ['EVENT_PUBLISH'] }),
        await other.keyWith({ '*': ['*'] }),
      ];
      const publish = async (body: Record<string, unknown>) =>
        (await ask(`${replica.url}/api/events`, key.key, { method: 'POST', body })).json.data as {
          id: string;
          time: string;
        };
      const cron = { cron: '0 9 1 1 *', timezone: 'Europe/Berlin' };
      const yearly = await publish({ type: 'report.due', subject: 'year', ...cron });
      const deliverAt = '2999-01-01T00:00:00.000Z';
      const once = await publish({ type: 'order.late', deliverAt });
      const gone = await publish({ type: 'order.gone', deliverAt });
      await publish({ type: 'order.now' });
      await replica.events.cancel({ organizationId: acme.organizationId }, gone.id);
      const publisher = `caller/${key.keyId}`;
      const items = [
        { id: yearly.id, type: 'report.due', subject: 'year', publisher, ...cron, next: yearly.time },
        { id: once.id, type: 'order.late', subject: null, publisher, deliverAt, next: deliverAt },
      ];
      const list = `${replica.url}/api/organizations/${acme.organizationId}/schedules`;
      expect((await ask(list, key.key)).json.data).toEqual({ schedules: items, hasMore: false });
      expect((await ask(`${list}?limit=1`, key.key)).json.data).toEqual({
        schedules: items.slice(0, 1),
        hasMore: true,
      });
      expect(
        (await ask(list.replace(acme.organizationId, other.organizationId), foreign.key)).json.data,
      ).toEqual({ schedules: [], hasMore: false });
      const statuses = [
        await ask(list, narrow.key),
        await ask(list, foreign.key),
        await ask(`${list}?x=1`, key.key),
      ];
      expect(statuses.map(({ status }) => status)).toEqual([403, 404, 400]);
    });

    test('dead letters are listed and started again; those of others are not there', async () => {
      const replica = await serveRoutes(bed());
      const [{ organizationId, keyWith }, other] = await twoOrganizations();
      const stranger = await other.keyWith({ '*': ['*'] });
      const key = await keyWith({ self: ['EVENT_SUBSCRIBE'] });
      const { subscribers, history } = replica.events;
      await subscribers.subscribe(
        { organizationId, connectionId: 'conn_a', createdBy: null },
        { eventType: '*' },
      );
      const event = await replica.events.publishNow({ organizationId, source: 'test', type: 'a' });
      const { store } = bed();
      await store.transaction((tx) => subscribers.forget(tx, organizationId, 'conn_a'));
      const list = `${replica.url}/api/organizations/${organizationId}/deliveries`;
      const dead = await ask(`${list}?status=dead`, key.key);
      expect(dead.json.data).toMatchObject({
        deliveries: [
          {
            status: 'dead',
            attempts: 0,
            lastError: 'The connection was deleted.',
            subscriber: 'conn_a',
            event,
          },
        ],
        hasMore: false,
      });
      const [{ id }] = dead.json.data.deliveries as [{ id: string }];
      expect((await ask(`${list}?id=${id}`, key.key)).json.data.deliveries).toMatchObject([{ id }]);
      const none = { deliveries: [], hasMore: false };
      expect((await ask(`${list}?order=asc&before=${id}`, key.key)).json.data).toEqual(none);
      expect((await ask(`${list}?text=A`, key.key)).json.data.deliveries).toMatchObject([{ id }]);
      for (const text of ['b', '%25', '_'])
        expect([text, (await ask(`${list}?text=${text}`, key.key)).json.data]).toEqual([text, none]);
      expect((await ask(`${list}?id=dlv_x`, key.key)).json.data).toEqual(none);
      const foreign = list.replace(organizationId, other.organizationId);
      expect((await ask(`${foreign}?id=${id}`, stranger.key)).json.data).toEqual(none);
      const retry = (place: string, as: string) => ask(`${place}/${id}/retry`, as, { method: 'POST' });
      expect((await retry(list, stranger.key)).status).toBe(404);
      expect(
        (await ask(`${list}/dlv_00000000000000000000000000/retry`, key.key, { method: 'POST' })).status,
      ).toBe(404);
      expect((await retry(list, key.key)).json.data).toMatchObject({ id, status: 'pending', attempts: 0 });
      expect(await history.deliveries(organizationId, { status: 'dead', limit: 10 })).toEqual([]);
      expect((await ask(`${list}?status=nonsense`, key.key)).status).toBe(400);
      expect((await ask(`${list}?before=${id}`, key.key)).json.data).toEqual({
        deliveries: [],
        hasMore: false,
      });
    });
  },
  () => ({ clock: MACHINE_CLOCK }),
);
