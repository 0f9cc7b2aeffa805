/** The routes of events over HTTP: publishing, replay by cursor, watching on any replica, dead letters. */
import { detach } from '@parley/kit';
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { newOrganization, REST_MIGRATIONS, serveRoutes } from '../../test/rest-bed.ts';

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

onBothEngines(
  'event routes',
  (open) => {
    async function openReplica(...options: [] | [Parameters<typeof serveRoutes>[1]]) {
      const store = await open();
      await store.migrate(REST_MIGRATIONS);
      return serveRoutes(store, ...options);
    }

    test('publishing, replay by cursor, and checks of who may', async () => {
      const replica = await openReplica();
      const [acme, other] = [await newOrganization(replica, 'acme'), await newOrganization(replica, 'other')];
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
      const first = await publish(all.text, { type: 'order.paid', data: { total: 1 } }, forged);
      // check 30: nothing in a header says who publishes.
      expect([first.status, first.json.data]).toMatchObject([
        200,
        { type: 'order.paid', source: `caller/${all.info.id}` },
      ]);
      for (const type of ['order.sent', 'post.created', 'order.paid']) await publish(all.text, { type });
      const events = `${replica.url}/api/organizations/${acme.organizationId}/events`;
      const page = await ask(`${events}?types=order.*&limit=2`, all.text);
      expect(page.json.data).toMatchObject({
        events: [{ id: first.json.data.id, parleyseq: 1, data: { total: 1 } }, { parleyseq: 2 }],
        cursor: '2',
        hasMore: true,
      });
      const rest = await ask(`${events}?types=order.*&limit=2&after=${page.json.data.cursor}`, all.text);
      expect(rest.json.data).toMatchObject({ events: [{ parleyseq: 4 }], cursor: '4', hasMore: false });

      const foreignEvents = `${replica.url}/api/organizations/${other.organizationId}/events`;
      const table: [url: string, key: string, asked: Asked, status: number][] = [
        [`${replica.url}/api/events`, 'parley_no_key', { method: 'POST', body: { type: 'a' } }, 401],
        [`${replica.url}/api/events`, narrow.text, { method: 'POST', body: { type: 'a' } }, 403],
        [`${replica.url}/api/events`, all.text, { method: 'POST', body: { type: 'a', extra: 1 } }, 400],
        [`${replica.url}/api/events`, all.text, { method: 'POST', body: { type: 'a.*' } }, 400],
        [events, narrow.text, {}, 403],
        [events, foreign.text, {}, 404],
        [foreignEvents, all.text, {}, 404],
        [`${events}?after=-1`, all.text, {}, 400],
        [`${events}?types=a*`, all.text, {}, 400],
        [`${events}?types=${'a,'.repeat(60)}`, all.text, {}, 400],
        // check 29: another organization's stream is not there.
        [foreignEvents.replace('events', 'watch'), all.text, {}, 404],
        [events.replace('events', 'watch'), foreign.text, {}, 404],
        [events.replace('events', 'watch'), narrow.text, {}, 403],
      ];
      for (const [url, key, asked, status] of table)
        expect([url, (await ask(url, key, asked)).status]).toEqual([url, status]);
      const unknown = await ask(`${replica.url}/api/organizations/org_unknown/events`, all.text);
      expect((await ask(foreignEvents, all.text)).text).toBe(unknown.text);
      expect((await ask(events, all.text)).json.data.events).toHaveLength(4);
    });

    test('check 29: a watcher hears of every replica, goes on where it was, and ends with its key', async () => {
      const feeds = { keepAliveMs: 100, perOrganization: 2 };
      const [one, two] = [await openReplica({ feeds }), await openReplica({ feeds })];
      const { organizationId, founder, keyWith } = await newOrganization(one, 'acme');
      const key = await keyWith({ self: ['EVENT_SUBSCRIBE'] });
      const url = `/api/organizations/${organizationId}/watch`;
      const say = (events: typeof one.events, type: string) =>
        events.publishNow({ organizationId, source: 'test', type });
      await say(one.events, 'before');
      const here = await watch(`${one.url}${url}?types=a.*,c`, key.text);
      const there = await watch(`${two.url}${url}`, key.text);
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
      const again = await watch(`${two.url}${url}?types=a.*,c`, key.text, here.seen.at(-1)?.id);
      await eventually(() => expect(again.seen.map(({ type }) => type)).toEqual(['a.d', 'c']));

      // Two are open on the second replica: there is no place for a third.
      const third = await ask(`${two.url}${url}`, key.text);
      expect([third.status, third.json.error.code]).toEqual([429, 'RATE_LIMITED']);
      await one.identity.revokeKey(founder, key.info.id);
      await eventually(() => expect([there.isEnded(), again.isEnded()]).toEqual([true, true]));
      expect([one.faults, two.faults]).toEqual([[], []]);
    });

    test('dead letters are listed and started again; those of others are not there', async () => {
      const replica = await openReplica();
      const { organizationId, keyWith } = await newOrganization(replica, 'acme');
      const stranger = await (await newOrganization(replica, 'other')).keyWith({ '*': ['*'] });
      const key = await keyWith({ self: ['EVENT_SUBSCRIBE'] });
      const { subscribers, history } = replica.events;
      await subscribers.subscribe(
        { organizationId, connectionId: 'conn_a', createdBy: null },
        { eventType: '*' },
      );
      const event = await replica.events.publishNow({ organizationId, source: 'test', type: 'a' });
      const store = await open();
      await store.transaction((tx) => subscribers.forget(tx, organizationId, 'conn_a'));
      const list = `${replica.url}/api/organizations/${organizationId}/deliveries`;
      const dead = await ask(`${list}?status=dead`, key.text);
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
      const retry = (place: string, as: string) => ask(`${place}/${id}/retry`, as, { method: 'POST' });
      expect((await retry(list, stranger.text)).status).toBe(404);
      expect(
        (await ask(`${list}/dlv_00000000000000000000000000/retry`, key.text, { method: 'POST' })).status,
      ).toBe(404);
      expect((await retry(list, key.text)).json.data).toMatchObject({ id, status: 'pending', attempts: 0 });
      expect(await history.deliveries(organizationId, { status: 'dead', limit: 10 })).toEqual([]);
      expect((await ask(`${list}?status=nonsense`, key.text)).status).toBe(400);
      expect((await ask(`${list}?before=${id}`, key.text)).json.data).toEqual({
        deliveries: [],
        hasMore: false,
      });
    });
  },
  REST_MIGRATIONS,
);
