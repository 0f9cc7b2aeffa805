import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBed, ORG, TestClock } from '../../test/bed.ts';
import { startReceiver } from '../../test/receiver.ts';
import type { EventTables } from '../schema.ts';

onBothEngines('two replicas', (open, engine) => {
  test('deliver each event once, in order per key, and one at a time to a webhook', async () => {
    const receiver = await startReceiver();
    const options = {
      policy: { allow: [receiver.host] },
      limits: { lanes: 1, attemptsPerRun: 7 },
      clock: new TestClock(),
    };
    const beds = [await openBed(open, options), await openBed(open, options)] as const;
    await beds[0].events.webhooks.create(ORG, { url: receiver.url, events: ['*'] });
    // A hundred at once would wait for connections, and on a busy machine longer than a connection is waited for.
    const published: string[] = [];
    for (let index = 0; index < 100; index += 10) {
      const some = Array.from({ length: 10 }, (_, offset) =>
        beds[offset % 2 === 0 ? 0 : 1].publish({ orderKey: `key ${(index + offset) % 5}` }),
      );
      published.push(...(await Promise.all(some)));
    }
    await eventually(() => expect(receiver.taken.length).toBeGreaterThanOrEqual(100));
    for (const bed of beds) await bed.idle();
    expect(receiver.seen.map(({ event }) => event.id).toSorted()).toEqual(published.toSorted());
    expect(receiver.mostAtOnce()).toBe(1);
    const rows = await beds[0].store
      .db<EventTables>()
      .selectFrom('event_deliveries')
      .select(['event_id', 'order_key', 'seq', 'status'])
      .orderBy('seq')
      .execute();
    expect(rows.every(({ status }) => status === 'delivered')).toBe(true);
    const arrived = receiver.seen.map(({ event }) => event.id);
    for (const key of new Set(rows.map(({ order_key }) => order_key))) {
      const wanted = rows.filter(({ order_key }) => order_key === key).map(({ event_id }) => event_id);
      expect(arrived.filter((id) => wanted.includes(id))).toEqual(wanted);
    }
    for (const bed of beds) expect(bed.faults).toEqual([]);
  });

  test('one that stands still while it notes a failure keeps no other one from the same event', async () => {
    const receiver = await startReceiver();
    const bed = await openBed(open, { policy: { allow: [receiver.host] } });
    const make = async (name: string) =>
      (await bed.events.webhooks.create(ORG, { url: `${receiver.url}/${name}`, events: ['*'] })).webhook;
    const [stuck, free] = [await make('stuck'), await make('free')];
    const answers = new Map<string, () => void>();
    receiver.script = ({ url }, response) => {
      answers.set(url, () => response.writeHead(500).end());
    };
    await bed.publish();
    await eventually(() => expect([...answers.keys()].toSorted()).toEqual(['/hook/free', '/hook/stuck']));
    const attempts = async ({ id }: { id: string }) =>
      (await bed.events.webhooks.deliveries(ORG, id, { limit: 1 })).map((delivery) => delivery.attempts);
    const fail = (name: string) => answers.get(`/hook/${name}`)?.();
    const holder = await open();
    // Where one writes at a time, whoever is in the middle of it keeps everybody from it.
    if (engine === 'sqlite') {
      fail('stuck');
      fail('free');
    } else
      await holder.transaction(async (tx) => {
        // What is noted of a webhook comes behind all else that an attempt changes.
        await tx.hold(tx.db<EventTables>().selectFrom('webhooks').select('id').where('id', '=', stuck.id));
        fail('stuck');
        await eventually(async () => {
          const waiting = await sql`select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(bed.store.db());
          expect(waiting.rows).toHaveLength(1);
        });
        fail('free');
        await eventually(async () => expect(await attempts(free)).toEqual([1]));
        expect(await attempts(stuck)).toEqual([0]);
      });
    await eventually(async () => expect([await attempts(stuck), await attempts(free)]).toEqual([[1], [1]]));
    expect(bed.faults).toEqual([]);
  });

  test('when one is told to stop in the middle of a request, the other delivers', async () => {
    const receiver = await startReceiver();
    const options = { policy: { allow: [receiver.host] }, clock: new TestClock() };
    const first = await openBed(open, options);
    const { webhook } = await first.events.webhooks.create(ORG, { url: receiver.url, events: ['*'] });
    receiver.script = () => undefined;
    await first.publish({ subject: 'one', orderKey: 'a' });
    await first.publish({ subject: 'two', orderKey: 'a' });
    await eventually(() => expect(receiver.seen).toHaveLength(1));
    receiver.script = () => 200;
    await first.tasks.stop();
    const second = await openBed(open, options);
    await eventually(() => expect(receiver.taken.map(({ event }) => event.subject)).toEqual(['one', 'two']));
    await second.idle();
    const found = await second.events.webhooks.deliveries(ORG, webhook.id, { limit: 10 });
    // A request that was broken off by ourselves is nobody's failure.
    expect(found.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['delivered', 1],
      ['delivered', 1],
    ]);
  });
});
