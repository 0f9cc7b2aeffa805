/** What happens to tasks of callers is published with the change, in the declared form; the system's own work is not. */
import { testCaller } from '@parley/kit/testing';
import { onBothEngines } from '@parley/store/testing';
import { createTaskEngine } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { BED_MIGRATIONS, openBed, ORG } from '../../test/bed.ts';
import { TASK_EVENTS, taskEvent } from './tasks.ts';

const QUESTION = {
  method: 'elicitation/create',
  params: {
    message: 'Name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
} as const;

onBothEngines(
  'events of tasks',
  (open) => {
    test('made, asking, done, failed and cancelled are told, without what the task was given or found', async () => {
      const bed = await openBed(open, { delivers: false });
      const tasks = createTaskEngine({
        store: await open(),
        async tell(tx, happenings) {
          await bed.events.publishAll(tx, happenings.map(taskEvent));
        },
      });
      onTestFinished(() => tasks.stop());
      const caller = testCaller({ id: 'key_1', organizationId: ORG });
      tasks.register({
        kind: 'lab.work',
        version: 1,
        async run(input, { io }) {
          if (input === 'asks') await io.request('name', QUESTION);
          if (input === 'fails') return { outcome: 'failed', error: { code: -32603, message: 'canary' } };
          return { outcome: 'completed', result: 'canary' };
        },
      });
      const make = (input: unknown, runAt?: number) =>
        tasks.enqueue({
          kind: 'lab.work',
          input,
          caller,
          capabilities: { elicitation: { form: {} } },
          ...(runAt !== undefined && { runAt }),
        });
      tasks.start();
      await make('works');
      await make('asks');
      await make('fails');
      const later = await make('canary', Date.now() + 3_600_000);
      await tasks.cancel({ organizationId: ORG, ownerId: 'key_1' }, later.id, 'No');
      const told = await eventually(async () => {
        const found = await bed.events.history.events(ORG, { after: 0, types: [], limit: 100 });
        expect(found.map(({ type }) => type).toSorted()).toEqual([
          'task.cancelled',
          'task.completed',
          'task.created',
          'task.created',
          'task.created',
          'task.created',
          'task.failed',
          'task.input_required',
        ]);
        return found;
      });
      for (const { type, data } of told) {
        const { data: schema } = TASK_EVENTS.find((event) => event.type === type)!;
        expect(schema.parse(data)).toEqual(data);
      }
      expect(told[0]?.data).toEqual({ id: told[0]?.subject, kind: 'lab.work', ownerId: 'key_1' });
      expect(JSON.stringify(told)).not.toContain('canary');
      // The pump of a webhook is a task too, and nobody's news.
      await bed.events.webhooks.create(ORG, { url: 'https://192.88.0.1/', events: ['*'] });
      await bed.publish();
      const last = await bed.events.history.lastNumber(ORG);
      expect(last).toBe(told.length + 1);
    });
  },
  BED_MIGRATIONS,
);
