/** Listeners inside the program: each hears what it asked for, at least once, on one of the replicas, until it is forgotten. */
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import type { Bed } from '../../test/bed.ts';
import { BED_MIGRATIONS, openBed, ORG } from '../../test/bed.ts';
import type { InsideHandler } from './inside.ts';

const LISTENER = { organizationId: ORG, id: 'one' };

/** Listeners of one process that write down what they hear; scripted to fail or to wait. */
function listening({ events }: Bed, heard: string[], script: InsideHandler = async () => undefined) {
  return events.inside('test', async (listener, event, signal) => {
    const later = await script(listener, event, signal);
    if (later === undefined) heard.push(`${listener.id} ${event.subject}`);
    return later;
  });
}

onBothEngines(
  'inside',
  (open) => {
    test('it hears what it asked for, once on two replicas, and nothing after it is forgotten', async () => {
      const heard: string[] = [];
      const beds = [await openBed(open), await openBed(open)];
      const [bed] = beds as [Bed];
      const [inside] = beds.map((each) => listening(each, heard));
      const wanted = { eventType: 'note.*', filter: '$.data[?@ == 1]' };
      await bed.store.transaction(async (tx) => inside?.listen(tx, LISTENER, wanted));
      const note = (subject: string, n: number) => bed.publish({ type: 'note.made', subject, data: { n } });
      await note('first', 1);
      await note('filtered', 2);
      await bed.publish({ type: 'other', subject: 'other', data: { n: 1 } });
      await bed.publish({
        organizationId: 'org_other',
        type: 'note.made',
        subject: 'foreign',
        data: { n: 1 },
      });
      await note('second', 1);
      await eventually(() => expect(heard).toEqual(['one first', 'one second']));
      // Asking again replaces what was asked before.
      await bed.store.transaction(async (tx) => inside?.listen(tx, LISTENER, { eventType: 'other' }));
      await note('third', 1);
      await bed.publish({ type: 'other', subject: 'fourth' });
      await eventually(() => expect(heard.at(-1)).toBe('one fourth'));
      await bed.store.transaction(async (tx) => inside?.forget(tx, LISTENER));
      await bed.publish({ type: 'other', subject: 'fifth' });
      for (const each of beds) await each.idle();
      expect(heard).toEqual(['one first', 'one second', 'one fourth']);
      // They are not among the subscriptions of connections.
      expect(await bed.events.subscribers.list(ORG)).toEqual([]);
    });

    test('what fails is tried again, and what asks for time gets it', async () => {
      const heard: string[] = [];
      const bed = await openBed(open);
      let tries = 0;
      const inside = listening(bed, heard, async () => {
        tries += 1;
        if (tries === 1) throw new Error('It broke.');
        return tries === 2 ? { retryAfterMs: 60_000 } : undefined;
      });
      await bed.store.transaction((tx) => inside.listen(tx, LISTENER, { eventType: '*' }));
      await bed.publish({ type: 'note.made', subject: 'first' });
      await bed.turn(2000);
      await eventually(() => expect(tries).toBe(2));
      await bed.turn(59_000);
      expect(heard).toEqual([]);
      await bed.turn(1000);
      await eventually(() => expect(heard).toEqual(['one first']));
      expect(bed.faults.splice(0)).toMatchObject([{ message: 'It broke.' }]);
    });

    test('a kind is registered once, and a filter that is none is refused by its name', async () => {
      const bed = await openBed(open);
      const inside = listening(bed, []);
      expect(() => listening(bed, [])).toThrow('already');
      await expect(inside.check({ eventType: 'a', filter: '$[' })).rejects.toThrow(/^filter: /);
      await expect(inside.check({ eventType: 'a b' })).rejects.toThrow(/^eventType: /);
    });
  },
  BED_MIGRATIONS,
);
