import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import type { Bed } from '../../test/bed.ts';
import { openBed, ORG } from '../../test/bed.ts';
import type { Received } from '../../test/receiver.ts';
import { startReceiver } from '../../test/receiver.ts';
import { DEFAULT_EVENT_LIMITS } from '../limits.ts';
import type { EventTables } from '../schema.ts';
import { createRecovery } from './recovery.ts';

const names = (requests: readonly Received[]) => requests.map(({ event }) => event.subject ?? '');

async function deliveries(bed: Bed, webhookId: string) {
  const all = await bed.events.webhooks.deliveries(ORG, webhookId, { limit: 100 });
  return all.toReversed();
}

async function statuses(bed: Bed, webhookId: string) {
  return (await deliveries(bed, webhookId)).map(({ subject, status, attempts }) => [
    subject,
    status,
    attempts,
  ]);
}

onBothEngines('deliveries', (open) => {
  async function bedWithWebhook(limits: Parameters<typeof openBed>[1] = {}) {
    const receiver = await startReceiver();
    const bed = await openBed(open, { policy: { allow: [receiver.host] }, ...limits });
    const { webhook, secret } = await bed.events.webhooks.create(ORG, { url: receiver.url, events: ['*'] });
    return { receiver, bed, webhook, secret };
  }

  test('a receiver that was down gets everything when it is up, in order per key', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    receiver.script = () => 503;
    for (const subject of ['a1', 'b1', 'a2', 'a3', 'b2'])
      await bed.publish({ subject, orderKey: subject.slice(0, 1) });
    await eventually(async () =>
      expect((await statuses(bed, webhook.id)).map(([, , attempts]) => attempts)).toEqual([1, 1, 0, 0, 0]),
    );
    await bed.idle();
    expect(names(receiver.seen).toSorted()).toEqual(['a1', 'b1']);
    receiver.script = () => 200;
    await bed.turn(4_999);
    await bed.idle();
    expect(receiver.taken).toEqual([]);
    await bed.turn(1);
    await eventually(() => expect(receiver.taken).toHaveLength(5));
    const taken = names(receiver.taken);
    expect(taken.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(taken.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2']);
    await bed.idle();
    expect((await deliveries(bed, webhook.id)).every(({ status }) => status === 'delivered')).toBe(true);
    expect(bed.faults).toEqual([]);
  });

  test('one that fails holds back only later ones with the same key', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    receiver.script = ({ event }) => (event.subject === 'bad' ? 500 : 200);
    await bed.publish({ subject: 'bad', orderKey: 'a' });
    await bed.publish({ subject: 'behind it', orderKey: 'a' });
    await bed.publish({ subject: 'another key', orderKey: 'b' });
    await bed.publish({ subject: 'no key' });
    await eventually(() =>
      expect(names(receiver.taken).toSorted()).toEqual(['another key', 'no key'].toSorted()),
    );
    await bed.idle();
    await bed.publish({ subject: 'later', orderKey: 'b' });
    await bed.publish({ subject: 'also behind it', orderKey: 'a' });
    await eventually(() => expect(names(receiver.taken)).toContain('later'));
    await bed.idle();
    expect(names(receiver.seen).filter((name) => name.includes('behind'))).toEqual([]);
    expect(await statuses(bed, webhook.id)).toContainEqual(['behind it', 'pending', 0]);
  });

  test('one that hangs does not hold back other keys', async () => {
    const { receiver, bed } = await bedWithWebhook();
    receiver.script = ({ event }) => (event.subject === 'hangs' ? undefined : 200);
    await bed.publish({ subject: 'hangs', orderKey: 'a' });
    await eventually(() => expect(names(receiver.seen)).toEqual(['hangs']));
    await bed.publish({ subject: 'other', orderKey: 'b' });
    await eventually(() => expect(names(receiver.taken)).toEqual(['other']));
    expect(names(receiver.seen)).toEqual(['hangs', 'other']);
  });

  test('eight attempts at their times, then dead; those behind it go on, and it can be sent again', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    receiver.script = ({ event }) => (event.subject === 'first' ? 500 : 200);
    await bed.publish({ subject: 'first', orderKey: 'a' });
    await bed.publish({ subject: 'second', orderKey: 'a' });
    const attempts = (count: number) =>
      eventually(async () => expect((await deliveries(bed, webhook.id))[0]?.attempts).toBe(count));
    await attempts(1);
    for (const [index, delayMs] of DEFAULT_EVENT_LIMITS.retryDelaysMs.entries()) {
      await bed.turn(delayMs - 1);
      await bed.idle();
      expect(receiver.seen).toHaveLength(index + 1);
      await bed.turn(1);
      await attempts(index + 2);
    }
    await eventually(() => expect(names(receiver.taken)).toEqual(['second']));
    await bed.idle();
    expect(await statuses(bed, webhook.id)).toEqual([
      ['first', 'dead', 8],
      ['second', 'delivered', 1],
    ]);
    const dead = await bed.events.webhooks.deliveries(ORG, webhook.id, { status: 'dead', limit: 10 });
    expect(dead).toHaveLength(1);
    expect(dead[0]).toMatchObject({ statusCode: 500, nextAt: null, deliveredAt: null });
    expect(dead[0]?.error).toBe('The receiver answered with status 500.');
    const eventStatus = async () =>
      (
        await bed.store
          .db<EventTables>()
          .selectFrom('events')
          .select('status')
          .where('subject', '=', 'first')
          .executeTakeFirstOrThrow()
      ).status;
    expect(await eventStatus()).toBe('failed');
    receiver.script = () => 200;
    expect(await bed.events.webhooks.resend(ORG, dead[0]!.id)).toMatchObject({
      status: 'pending',
      attempts: 0,
    });
    await eventually(async () =>
      expect(await statuses(bed, webhook.id)).toContainEqual(['first', 'delivered', 1]),
    );
    expect(new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(await eventStatus()).toBe('delivered');
  });

  test('a redirect is a failed attempt and is not followed', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    receiver.script = (_request, response) => {
      response.writeHead(307, { location: '/elsewhere' }).end();
    };
    await bed.publish();
    const failed = await eventually(async () => {
      const [delivery] = await deliveries(bed, webhook.id);
      expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
      return delivery;
    });
    expect(failed?.error).toMatch(/status 30\d/);
    expect(receiver.seen.map(({ url }) => url)).toEqual(['/hook']);
  });

  test('no answer in time is a failed attempt', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook({ limits: { timeoutMs: 50 } });
    receiver.script = () => undefined;
    await bed.publish();
    await eventually(async () =>
      expect((await deliveries(bed, webhook.id))[0]).toMatchObject({
        attempts: 1,
        statusCode: null,
        error: 'The receiver did not answer within 0.05 seconds.',
      }),
    );
  });

  test('an endless answer is cut off, and nothing of an answer is kept', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    receiver.script = ({ event }, response) => {
      response.writeHead(event.subject === 'good' ? 200 : 500);
      const pour = (): void => {
        while (!response.destroyed && response.write('canary '.repeat(1000)));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    };
    await bed.publish({ subject: 'good' });
    await bed.publish({ subject: 'bad' });
    await eventually(async () =>
      expect(await statuses(bed, webhook.id)).toEqual([
        ['good', 'delivered', 1],
        ['bad', 'pending', 1],
      ]),
    );
    const rows = await bed.store.db<EventTables>().selectFrom('event_deliveries').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('canary');
  });

  test('a name that later resolves to a private address is refused without a connection', async () => {
    const receiver = await startReceiver();
    let address = '192.88.0.1';
    const bed = await openBed(open, {
      policy: { resolve: async () => [{ address, family: 4 }] },
    });
    const url = `https://hook.example:${receiver.host.split(':')[1]}/`;
    const { webhook } = await bed.events.webhooks.create(ORG, { url, events: ['*'] });
    address = '127.0.0.1';
    await bed.publish();
    await eventually(async () =>
      expect((await deliveries(bed, webhook.id))[0]).toMatchObject({
        status: 'pending',
        attempts: 1,
        statusCode: null,
        error: expect.stringContaining('not allowed'),
      }),
    );
    expect(JSON.stringify(await deliveries(bed, webhook.id))).not.toContain('127.0.0.1');
    expect(receiver.seen).toEqual([]);
  });

  test('a pump that was given up is replaced by the look after late deliveries', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook({ delivers: false });
    await bed.publish();
    await bed.store
      .db<{ tasks: { state: string; outcome: string } }>()
      .updateTable('tasks')
      .set({ state: 'final', outcome: 'failed' })
      .execute();
    bed.tasks.start();
    bed.clock.ms += DEFAULT_EVENT_LIMITS.pollMs;
    bed.events.start();
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    await bed.idle();
    expect(await statuses(bed, webhook.id)).toEqual([[null, 'delivered', 1]]);
  });

  test('targets that cannot be woken keep no other one from it, and are tried again', async () => {
    const { bed } = await bedWithWebhook({ delivers: false });
    await bed.publish();
    const db = bed.store.db<EventTables>();
    const [target] = await db.selectFrom('event_targets').selectAll().execute();
    const [delivery] = await db.selectFrom('event_deliveries').selectAll().execute();
    const ids = Array.from({ length: 150 }, (_, index) => `target_${1_000 + index}`);
    const changed = { ...delivery!, next_at: bed.clock.ms - 1 };
    await db
      .insertInto('event_targets')
      .values(ids.map((id) => ({ ...target!, id })))
      .execute();
    await db
      .insertInto('event_deliveries')
      .values(
        ids.map((id, index) => ({
          ...changed,
          id: `late_${id}`,
          subscription_id: `subscription_${id}`,
          target_id: id,
          seq: 1_000 + index,
        })),
      )
      .execute();
    const tried: string[] = [];
    const tasks: typeof bed.tasks = {
      ...bed.tasks,
      enqueueIn(_tx, { input }) {
        tried.push((input as { targetId: string }).targetId);
        return Promise.reject(new Error('Not this one.'));
      },
    };
    const look = createRecovery(
      { ...bed, tasks, now: bed.clock.now, onFault: (error) => bed.faults.push(error) },
      1,
    );
    for (const expected of [ids.slice(0, 100), ids.slice(100), ids.slice(0, 100)]) {
      await look();
      expect(tried.splice(0)).toEqual(expected);
    }
    expect(bed.faults).toHaveLength(250);
  });

  test('a run whose target was taken over cannot say that a delivery failed, only that it arrived', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    const answers = new Map<string | undefined, (status: number) => void>();
    receiver.script = ({ event }, response) => {
      answers.set(event.subject, (status) => response.writeHead(status).end());
    };
    await bed.publish({ subject: 'fails' });
    await bed.publish({ subject: 'arrives' });
    await eventually(() => expect(answers.size).toBe(2));
    await bed.store
      .db<EventTables>()
      .updateTable('event_targets')
      .set((row) => ({ fence: row('fence', '+', 1) }))
      .execute();
    answers.get('fails')?.(500);
    answers.get('arrives')?.(200);
    await bed.idle();
    expect(await statuses(bed, webhook.id)).toEqual([
      ['fails', 'processing', 0],
      ['arrives', 'delivered', 1],
    ]);
    // Whoever looks after late ones finds it.
    receiver.script = () => 200;
    bed.clock.ms += DEFAULT_EVENT_LIMITS.pollMs;
    bed.events.start();
    await eventually(async () =>
      expect(await statuses(bed, webhook.id)).toContainEqual(['fails', 'delivered', 1]),
    );
    expect(bed.faults).toEqual([]);
  });

  test('a fault of our own is told, and the delivery is tried again after a pause', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    await bed.store.db<EventTables>().updateTable('event_targets').set({ kind: 'unknown' }).execute();
    await bed.publish();
    await eventually(() => expect(bed.faults).toHaveLength(1));
    await bed.idle();
    expect(await statuses(bed, webhook.id)).toEqual([[null, 'pending', 0]]);
    await bed.store.db<EventTables>().updateTable('event_targets').set({ kind: 'webhook' }).execute();
    await bed.turn(DEFAULT_EVENT_LIMITS.pollMs);
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    expect(bed.faults).toHaveLength(1);
  });

  test('no person or key finds the work of deliveries among its tasks', async () => {
    const { receiver, bed } = await bedWithWebhook();
    await bed.publish();
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    await bed.idle();
    const rows = await bed.store
      .db<{ tasks: { owner_id: string; organization_id: string } }>()
      .selectFrom('tasks')
      .select(['owner_id', 'organization_id'])
      .execute();
    expect(rows).toEqual([{ owner_id: 'system_events', organization_id: ORG }]);
    const mine = await bed.tasks.list({ organizationId: ORG, ownerId: 'caller_test' }, { limit: 10 });
    expect(mine.tasks).toEqual([]);
  });
});
