/** What arrived is written in groups: once each whoever delivers it, and nobody waits for what somebody else holds. */
import type { ServerResponse } from 'node:http';
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import type { Bed } from '../../test/bed.ts';
import { openBed, ORG, TestClock } from '../../test/bed.ts';
import { startReceiver } from '../../test/receiver.ts';
import type { EventTables } from '../schema.ts';

const TYPES = ['a.one', 'b.one', 'c.one'];

async function statesOf({ store }: Bed): Promise<string[]> {
  const rows = await store
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .innerJoin('events', 'events.id', 'event_deliveries.event_id')
    .select(['events.subject', 'events.status', 'event_deliveries.status as delivery'])
    .orderBy('events.subject')
    .execute();
  return rows.map(({ subject, status, delivery }) => `${subject} ${status} ${delivery}`);
}

onBothEngines('arrivals', (open, engine) => {
  test('of two replicas and several webhooks are written once each, and none is sent twice', async () => {
    const receiver = await startReceiver();
    const options = {
      policy: { allow: [receiver.host] },
      limits: { lingerMs: 20, attemptsPerRun: 9 },
      clock: new TestClock(),
    };
    const beds = [await openBed(open, options), await openBed(open, options)] as const;
    for (const type of TYPES)
      await beds[0].events.webhooks.create(ORG, { url: receiver.url, events: [type] });
    const published: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const some = Array.from({ length: 9 }, (_, index) =>
        beds[index % 2 === 0 ? 0 : 1].events.publishNow({
          organizationId: ORG,
          source: 'test',
          type: TYPES[index % TYPES.length] as string, // within its length
          subject: `${round} ${index}`,
        }),
      );
      published.push(...(await Promise.all(some)).map(({ id }) => id));
    }
    await eventually(() => expect(receiver.taken.length).toBeGreaterThanOrEqual(90));
    for (const bed of beds) await bed.idle();
    expect(receiver.seen.map(({ event }) => event.id).toSorted()).toEqual(published.toSorted());
    expect((await statesOf(beds[0])).every((state) => state.endsWith(' delivered delivered'))).toBe(true);
    for (const bed of beds) expect(bed.faults).toEqual([]);
  });

  // SQLite has one writer, and no rows that somebody holds.
  test.runIf(engine === 'postgres')('an event that somebody holds holds up no other', async () => {
    const receiver = await startReceiver();
    const bed = await openBed(open, { policy: { allow: [receiver.host] } });
    const other = await open();
    for (const type of ['a.one', 'b.one'])
      await bed.events.webhooks.create(ORG, { url: receiver.url, events: [type] });
    const answers: ServerResponse[] = [];
    receiver.script = (_, response) => {
      answers.push(response);
    };
    const eventId = await bed.publish({ type: 'a.one', subject: 'held' });
    await bed.publish({ type: 'b.one', subject: 'free' });
    await eventually(() => expect(answers).toHaveLength(2));
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = other.transaction(async (tx) => {
      await tx.hold(tx.db<EventTables>().selectFrom('events').select('id').where('id', '=', eventId));
      held.resolve();
      await released.promise;
    });
    await held.promise;
    for (const answer of answers) answer.writeHead(200).end();
    await eventually(async () =>
      expect(await statesOf(bed)).toEqual(['free delivered delivered', 'held pending processing']),
    );
    released.resolve();
    await holding;
    await bed.idle();
    expect(await statesOf(bed)).toEqual(['free delivered delivered', 'held delivered delivered']);
    expect(bed.faults).toEqual([]);
  });
});
