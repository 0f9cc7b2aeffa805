/** An MCP client hears of events: it reads the newest of a type, and is told when there are more. */
import { createEvents, eventMigrations } from '@parley/events';
import { createChangeBus } from '@parley/kit';
import type { Change } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { connect } from '@parley/kit/testing';
import { onBothEngines } from '@parley/store/testing';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { createNewestEvents, publishEventNotices } from './resources.ts';
import type { MeshServices } from './services/index.ts';
import { meshToolset } from './toolset.ts';

const MIGRATIONS = [taskMigrations, eventMigrations];

onBothEngines(
  'events as documents',
  (open) => {
    test('the newest of a type are read, and every pattern that covers a new one is told, of any replica', async () => {
      const [here, there] = [await open(), await open()];
      await here.migrate(MIGRATIONS);
      const egress = createEgress();
      onTestFinished(() => egress.close());
      const eventsOn = (store: typeof here) =>
        createEvents({ store, tasks: createTaskEngine({ store }), egress, onFault: () => undefined });
      const bus = createChangeBus();
      const told: Change[] = [];
      bus.subscribe((change) => told.push(change));
      const stop = publishEventNotices(here, bus);
      const elsewhere = eventsOn(there);
      const say = (type: string, organizationId = 'org_test') =>
        elsewhere.publishNow({ organizationId, source: 'test', type });
      await say('order.paid');
      await say('order.sent');
      await say('post.created', 'org_other');
      const uris = ['order.paid', 'order.sent', 'order.*', '*'].map((type) => `parley://events/${type}`);
      await eventually(() => {
        const own = told.filter(({ organizationId }) => organizationId === 'org_test');
        expect(new Set(own.map((change) => (change.kind === 'resource' ? change.uri : '')))).toEqual(
          new Set(uris),
        );
      });
      stop();

      const services = { newestEvents: createNewestEvents(eventsOn(here)) } as MeshServices; // all that is read
      const read = async (type: string, as = {}) => {
        await using client = await connect(meshToolset, { services, as });
        const { contents } = await client.raw.readResource({ uri: `parley://events/${type}` });
        const [first] = contents as { text: string }[];
        return (JSON.parse(first?.text ?? '') as { type: string }[]).map((event) => event.type);
      };
      expect(await read('order.*')).toEqual(['order.sent', 'order.paid']);
      expect(await read('order.paid')).toEqual(['order.paid']);
      expect(await read('*', { organizationId: 'org_other' })).toEqual(['post.created']);
      await expect(read('a.*.b')).rejects.toThrow('is no event type');
      await expect(read('order.*', { grants: { self: ['EVENT_ACK'] } })).rejects.toThrow('not found');
    });
  },
  MIGRATIONS,
);
