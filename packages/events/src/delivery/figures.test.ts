/** Figures: what operators see of deliveries that have not arrived, and of what became of attempts. */
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { BED_MIGRATIONS, openBed, ORG } from '../../test/bed.ts';
import { startReceiver } from '../../test/receiver.ts';

const MINUTE_MS = 60_000;

onBothEngines(
  'the figures of deliveries',
  (open) => {
    test('tell what is due, what waits for another attempt and what is dead', async () => {
      const receiver = await startReceiver();
      const policy = { allow: [receiver.host] };
      const publisher = await openBed(open, { policy, delivers: false });
      const { clock } = publisher;
      const states = async () => {
        const { standing } = await publisher.events.figures();
        return standing.map(({ state, count, oldestMs }) => [state, count, oldestMs]);
      };
      await publisher.events.webhooks.create(ORG, { url: receiver.url, events: ['*'] });
      expect(await states()).toEqual([]);
      await publisher.publish({ subject: 'one' });
      clock.ms += MINUTE_MS;
      await publisher.publish({ subject: 'two' });
      expect(await states()).toEqual([['due', 2, MINUTE_MS]]);

      receiver.script = () => 503;
      const limits = { retryDelaysMs: [MINUTE_MS] };
      const bed = await openBed(open, { policy, clock, limits });
      await eventually(async () => expect(await states()).toEqual([['later', 2, 0]]));
      await bed.turn(MINUTE_MS);
      await eventually(async () => expect(await states()).toEqual([['dead', 2, 0]]));
      receiver.script = () => 200;
      await bed.publish();
      await bed.idle();
      const [[kind, counts] = []] = (await bed.events.figures()).delivered.entries();
      expect([kind, Object.fromEntries(counts?.outcomes ?? [])]).toEqual([
        'webhook',
        { failed: 4, delivered: 1 },
      ]);
      expect(counts?.attempts.counts.reduce((sum, count) => sum + count, 0)).toBe(5);
    });
  },
  BED_MIGRATIONS,
);
