import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { openBed, ORG } from '../test/bed.ts';
import { startReceiver } from '../test/receiver.ts';
import type { EventTables } from './schema.ts';

const DAY_MS = 24 * 60 * 60_000;

onBothEngines('retention', (open) => {
  test('what arrived goes after 30 days, what is dead after 90, what is open never', async () => {
    const receiver = await startReceiver();
    const bed = await openBed(open, {
      policy: { allow: [receiver.host] },
      limits: { retryDelaysMs: [], switchOffAfterMs: 1000 * DAY_MS },
    });
    receiver.script = ({ event }) => (event.subject === 'dead' ? 500 : 200);
    await bed.events.webhooks.create(ORG, { url: receiver.url, events: ['*'] });
    await bed.publish({ subject: 'arrived' });
    await bed.publish({ subject: 'dead' });
    await bed.publish({ subject: 'unheard', organizationId: 'org_other' });
    await eventually(() => expect(receiver.seen).toHaveLength(2));
    await bed.idle();
    // Nobody works from here on, so the last one stays open.
    await bed.tasks.stop();
    await bed.publish({ subject: 'open' });
    const kept = async () => {
      await bed.events.sweep();
      const rows = await bed.store.db<EventTables>().selectFrom('events').select('subject').execute();
      return rows.map(({ subject }) => subject ?? '').toSorted();
    };
    bed.clock.ms += 30 * DAY_MS;
    expect(await kept()).toEqual(['arrived', 'dead', 'open', 'unheard']);
    bed.clock.ms += 1;
    expect(await kept()).toEqual(['dead', 'open']);
    bed.clock.ms += 60 * DAY_MS;
    expect(await kept()).toEqual(['open']);
    const left = await bed.store.db<EventTables>().selectFrom('event_deliveries').select('status').execute();
    expect(left).toEqual([{ status: 'pending' }]);
  });

  test('more than one batch goes in one sweep', async () => {
    const bed = await openBed(open, { delivers: false });
    await bed.store.transaction(async (tx) => {
      for (let index = 0; index < 450; index += 1)
        await bed.events.publish(tx, { organizationId: ORG, source: 'test', type: 'some.thing' });
    });
    bed.clock.ms += 31 * DAY_MS;
    await bed.events.sweep();
    expect(await bed.store.db<EventTables>().selectFrom('events').select('id').execute()).toEqual([]);
  });

  test('a sweep beside publishers takes what is due and nothing else', async () => {
    const bed = await openBed(open, { delivers: false });
    const event = { organizationId: ORG, source: 'test', type: 'some.thing' };
    await bed.store.transaction((tx) =>
      bed.events.publishAll(
        tx,
        Array.from({ length: 450 }, () => event),
      ),
    );
    bed.clock.ms += 31 * DAY_MS;
    const sweeping = bed.events.sweep();
    const made: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const some = await Promise.all(Array.from({ length: 8 }, () => bed.events.publishNow(event)));
      made.push(...some.map(({ id }) => id));
    }
    await sweeping;
    const left = await bed.store.db<EventTables>().selectFrom('events').select('id').execute();
    expect(left.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
  });
});
