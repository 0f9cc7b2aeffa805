/** Places: an organization whose tasks take all it may have holds up no webhook and no other organization. */
import { testCaller } from '@parley/kit/testing';
import { onBothEngines } from '@parley/store/testing';
import { DEFAULT_TASK_LIMITS } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { openBed, ORG } from '../../test/bed.ts';
import { startReceiver } from '../../test/receiver.ts';

onBothEngines('places', (open) => {
  test('64 tasks of four keys stop neither webhooks nor the tasks of another organization', async () => {
    const receiver = await startReceiver();
    const bed = await openBed(open, { policy: { allow: [receiver.host] } });
    const running = new Map<string, number>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    bed.tasks.register({
      kind: 'hold',
      version: 1,
      async run(_input, { owner, signal }) {
        const { organizationId } = owner;
        running.set(organizationId, (running.get(organizationId) ?? 0) + 1);
        const stopped = new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        await Promise.race([released, stopped]);
        return { outcome: 'completed', result: null };
      },
    });
    const hold = (id: string, organizationId: string) =>
      bed.tasks.enqueue({
        kind: 'hold',
        input: null,
        caller: testCaller({ id, organizationId }),
        capabilities: {},
      });
    await bed.events.webhooks.create(ORG, { url: receiver.url, events: ['*'] });
    await bed.events.webhooks.create('org_other', { url: receiver.url, events: ['*'] });
    for (let task = 0; task < 20; task += 1)
      await Promise.all(['a', 'b', 'c', 'd'].map((owner) => hold(owner, ORG)));
    const most = DEFAULT_TASK_LIMITS.runningPerOrganization;
    await eventually(() => expect(running.get(ORG)).toBe(most));

    await bed.publish({ subject: 'of the busy one' });
    await bed.publish({ subject: 'of another one', organizationId: 'org_other' });
    await eventually(() =>
      expect(receiver.taken.map(({ event }) => event.subject ?? '').toSorted()).toEqual([
        'of another one',
        'of the busy one',
      ]),
    );
    await hold('e', 'org_other');
    await eventually(() => expect(running.get('org_other')).toBe(1));
    // Nobody of the busy one got a place that is not theirs.
    expect(running.get(ORG)).toBe(most);
    expect(most).toBeLessThan(DEFAULT_TASK_LIMITS.runningPerProcess);
    release();
    await bed.idle();
    expect(running.get(ORG)).toBe(80);
    expect(bed.faults).toEqual([]);
  });

  test('webhooks that hang in one organization hold up neither those of another nor the tasks of callers', async () => {
    const receiver = await startReceiver();
    const bed = await openBed(open, { policy: { allow: [receiver.host] } });
    const ran: string[] = [];
    bed.tasks.register({
      kind: 'quick',
      version: 1,
      async run(_input, { owner }) {
        ran.push(owner.organizationId);
        return { outcome: 'completed', result: null };
      },
    });
    receiver.script = ({ event }) => (event.subject === 'hangs' ? undefined : 200);
    const { systemPerOrganization: places, systemPerProcess } = DEFAULT_TASK_LIMITS;
    for (let webhook = 0; webhook < places + 4; webhook += 1)
      await bed.events.webhooks.create(ORG, { url: receiver.url, events: ['*'] });
    await bed.events.webhooks.create('org_other', { url: receiver.url, events: ['*'] });
    await bed.publish({ subject: 'hangs' });
    await eventually(() => expect(receiver.seen).toHaveLength(places));
    await bed.publish({ subject: 'arrives', organizationId: 'org_other' });
    await eventually(() => expect(receiver.taken.map(({ event }) => event.subject)).toEqual(['arrives']));
    await bed.tasks.enqueue({
      kind: 'quick',
      input: null,
      caller: testCaller({ organizationId: ORG }),
      capabilities: {},
    });
    await eventually(() => expect(ran).toEqual([ORG]));
    expect(receiver.seen).toHaveLength(places + 1);
    expect(places).toBeLessThan(systemPerProcess);
  });
});
