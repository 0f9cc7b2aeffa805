/** What happens to annotations is published with the change, in the declared form, and not without it. */
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { testCaller } from '@parley/kit/testing';
import { onBothEngines } from '@parley/store/testing';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { expect, onTestFinished, test } from 'vitest';
import { openDesk, ORGANIZATION } from '../../test/notes.ts';
import { ANNOTATION_EVENTS } from '../events.ts';
import { annotationMigrations } from '../migrations/index.ts';
import type { Agent } from './holder.ts';

const MIGRATIONS = [taskMigrations, eventMigrations, annotationMigrations];
const AGENT: Agent = {
  ...testCaller({ id: 'key_agent', organizationId: ORGANIZATION }),
  client: 'claude-code',
};

onBothEngines(
  'events of annotations',
  (open) => {
    test('every step of a note is an event in its declared form', async () => {
      const store = await open();
      await store.migrate(MIGRATIONS);
      const tasks = createTaskEngine({ store });
      const egress = createEgress();
      onTestFinished(() => egress.close());
      const events = createEvents({ store, tasks, egress, onFault: () => undefined });
      let now = Date.now();
      const { services, note, page } = await openDesk(store, { events, now: () => now });
      onTestFinished(() => services.close());
      const session = await page();
      const acting = { id: session.id, organization_id: session.organization_id };
      const first = await note(session, {
        annotationText: 'Make it blue. My token is parley_page_canarycanary',
      });
      const { id } = first;
      await services.agent.acknowledge(AGENT, id, 'On it');
      await services.agent.reply(AGENT, id, 'Which blue?');
      await services.agent.resolve(AGENT, id, 'Blue now');
      await services.person.reopen(acting, id);
      await services.agent.dismiss(AGENT, id, 'Not today');
      const second = await note(session);
      await services.agent.acknowledge(AGENT, second.id);
      now += services.limits.noteLeaseMs + 1;
      await services.leases.reclaim();
      await services.person.clear(acting);
      // Refused, so nobody hears of it.
      await expect(services.agent.resolve(AGENT, 'ann_unknown')).rejects.toMatchObject({ code: 'not_found' });

      const told = await events.history.events(ORGANIZATION, {
        after: 0,
        types: ['annotation.*'],
        limit: 100,
      });
      const types = told.map(
        ({ type, subject }) => `${type.replace('annotation.', '')} ${subject === id ? 1 : 2}`,
      );
      expect(types).toEqual([
        'created 1',
        'acknowledged 1',
        'replied 1',
        'resolved 1',
        'reopened 1',
        'dismissed 1',
        'created 2',
        'acknowledged 2',
        'reopened 2',
        'dismissed 2',
      ]);
      for (const { type, data, source } of told) {
        const { data: schema } = ANNOTATION_EVENTS.find((event) => event.type === type)!;
        expect([type, schema.safeParse(data)]).toMatchObject([type, { success: true, data: data as object }]);
        expect(source).toBe(`${ORGANIZATION}_self`);
      }
      expect(told[2]?.data).toMatchObject({
        id,
        message: 'Which blue?',
        author: 'agent',
        status: 'acknowledged',
      });
      expect(told[3]?.data).toMatchObject({ message: 'Blue now', status: 'resolved' });
      expect(JSON.stringify(told)).not.toContain('canary');
    });
  },
  MIGRATIONS,
);
