import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { count, openBed, ORG } from '../test/bed.ts';
import { startReceiver } from '../test/receiver.ts';
import type { EventTables } from './schema.ts';

onBothEngines('the outbox', (open) => {
  test('a change that is rolled back publishes nothing and delivers nothing', async () => {
    const receiver = await startReceiver();
    const bed = await openBed(open, { policy: { allow: [receiver.host] } });
    await bed.events.webhooks.create(ORG, { url: receiver.url, events: ['*'] });
    const failing = bed.store.transaction(async (tx) => {
      await bed.events.publish(tx, { organizationId: ORG, source: 'feedback', type: 'post.created' });
      throw new Error('The change failed.');
    });
    await expect(failing).rejects.toThrow('The change failed.');
    for (const table of ['events', 'event_deliveries', 'tasks'] as const)
      expect([table, await count(bed.store, table)]).toEqual([table, 0]);
    const id = await bed.publish();
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    expect(receiver.seen.map(({ event }) => [event.id, event.parleyseq])).toEqual([[id, 1]]);
  });

  test('an event is a CloudEvent with a number that rises per organization', async () => {
    const bed = await openBed(open, { delivers: false });
    const [first, second, foreign] = await bed.store.transaction(async (tx) => {
      const publish = (organizationId: string, subject?: string) =>
        bed.events.publish(tx, {
          organizationId,
          source: 'feedback',
          type: 'post.created',
          ...(subject !== undefined && { subject, data: { title: 'Hello' } }),
          time: Date.UTC(2029, 5, 1),
        });
      return [await publish(ORG, 'post_1'), await publish(ORG), await publish('org_other')];
    });
    expect(first).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      source: 'feedback',
      type: 'post.created',
      time: '2029-06-01T00:00:00.000Z',
      subject: 'post_1',
      datacontenttype: 'application/json',
      data: { title: 'Hello' },
    });
    expect(Object.keys(second ?? {}).toSorted()).toEqual(
      ['id', 'source', 'specversion', 'time', 'type'].toSorted(),
    );
    const all = { after: 0, types: [], limit: 10 };
    expect(await bed.events.history.events(ORG, all)).toEqual([
      { ...first, parleyseq: 1 },
      { ...second, parleyseq: 2 },
    ]);
    expect(await bed.events.history.events('org_other', all)).toEqual([{ ...foreign, parleyseq: 1 }]);
  });

  test('fifty publishers at once leave no gap and no double in the numbers', async () => {
    const bed = await openBed(open, { delivers: false });
    await Promise.all(Array.from({ length: 50 }, () => bed.publish()));
    const rows = await bed.store
      .db<EventTables>()
      .selectFrom('events')
      .select('seq')
      .orderBy('seq')
      .execute();
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  test('an event that nobody asked for is done at once, and one that arrived is done then', async () => {
    const receiver = await startReceiver();
    const bed = await openBed(open, { policy: { allow: [receiver.host] } });
    await bed.events.webhooks.create(ORG, { url: receiver.url, events: ['post.created'] });
    await bed.publish({ type: 'post.deleted' });
    await bed.publish();
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    await bed.idle();
    const rows = await bed.store.db<EventTables>().selectFrom('events').select(['type', 'status']).execute();
    expect(rows.map(({ type, status }) => `${type} ${status}`).toSorted()).toEqual([
      'post.created delivered',
      'post.deleted delivered',
    ]);
    expect(await count(bed.store, 'event_deliveries')).toBe(1);
  });

  test.each([
    ['type', { type: '' }],
    ['type', { type: 'post.*' }],
    ['type', { type: 'x'.repeat(256) }],
    ['source', { source: '' }],
    ['subject', { subject: 'x'.repeat(256) }],
    ['data', { data: 'x'.repeat(256 * 1024) }],
  ])('a bad %s is refused by its name', async (field, change) => {
    const bed = await openBed(open, { delivers: false });
    await expect(bed.publish(change)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(`^${field}: `),
    });
    expect(await count(bed.store, 'events')).toBe(0);
  });
});
