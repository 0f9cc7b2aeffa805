import { onBothEngines } from '@parley/store/testing';
import { sql } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { detach } from '@parley/kit';
import { expect, test } from 'vitest';
import { openBed, ORG } from '../../test/bed.ts';
import { isSignedBy, startReceiver } from '../../test/receiver.ts';
import type { EventTables } from '../schema.ts';
import { WEBHOOK_DISABLED } from './health.ts';

const DAY_MS = 24 * 60 * 60_000;
const PUBLIC_URL = 'https://192.88.0.1/hook';

onBothEngines('webhooks', (open) => {
  async function bedWithWebhook(options: Parameters<typeof openBed>[1] = {}) {
    const receiver = await startReceiver();
    const bed = await openBed(open, { policy: { allow: [receiver.host] }, ...options });
    const { webhook, secret } = await bed.events.webhooks.create(ORG, {
      url: receiver.url,
      events: ['post.*'],
    });
    return { receiver, bed, webhook, secret };
  }

  test('is made, listed, changed and removed', async () => {
    const bed = await openBed(open, { delivers: false });
    const { webhooks } = bed.events;
    const { webhook, secret } = await webhooks.create(ORG, {
      url: PUBLIC_URL,
      events: ['post.created', 'comment.*', 'post.created'],
      groups: ['board_1'],
      createdBy: 'user_1',
    });
    expect(webhook).toEqual({
      id: expect.stringMatching(/^webhook_[0-7][0-9a-z]{25}$/),
      organizationId: ORG,
      url: PUBLIC_URL,
      events: ['post.created', 'comment.*'],
      groups: ['board_1'],
      state: 'enabled',
      disabledReason: null,
      failureCount: 0,
      createdBy: 'user_1',
      createdAt: bed.clock.ms,
      updatedAt: bed.clock.ms,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await webhooks.list(ORG)).toEqual([webhook]);
    expect(await webhooks.get(ORG, webhook.id)).toEqual(webhook);
    bed.clock.ms += 1000;
    const changed = await webhooks.update(ORG, webhook.id, { groups: [], enabled: false });
    expect(changed).toEqual({
      ...webhook,
      groups: [],
      state: 'disabled',
      disabledReason: 'Switched off by hand.',
      updatedAt: bed.clock.ms,
    });
    expect(await webhooks.get(ORG, webhook.id)).toEqual(changed);
    await webhooks.remove(ORG, webhook.id);
    expect(await webhooks.list(ORG)).toEqual([]);
  });

  test('a foreign id answers like an unknown one, and like no id at all', async () => {
    const { bed, webhook, receiver } = await bedWithWebhook();
    const { webhooks } = bed.events;
    await bed.publish();
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    const [delivery] = await webhooks.deliveries(ORG, webhook.id, { limit: 1 });
    for (const [organization, id] of [
      ['org_other', webhook.id],
      [ORG, 'webhook_01h455vb4pex5vsknk084sn02q'],
      [ORG, 'webhook_\u0000'],
    ] as const) {
      const calls = {
        get: () => webhooks.get(organization, id),
        update: () => webhooks.update(organization, id, { url: PUBLIC_URL }),
        remove: () => webhooks.remove(organization, id),
        rotate: () => webhooks.rotate(organization, id),
        test: () => webhooks.test(organization, id),
        deliveries: () => webhooks.deliveries(organization, id, { limit: 1 }),
      };
      for (const [name, call] of Object.entries(calls))
        await expect(call(), name).rejects.toMatchObject({ code: 'not_found', message: 'Webhook not found' });
    }
    expect(await webhooks.list('org_other')).toEqual([]);
    for (const [organization, id] of [
      ['org_other', delivery!.id],
      [ORG, 'dlv_01h455vb4pex5vsknk084sn02q'],
      [ORG, '\u0000'],
    ] as const)
      await expect(webhooks.resend(organization, id)).rejects.toMatchObject({
        code: 'not_found',
        message: 'Delivery not found',
      });
    await bed.idle();
    expect(receiver.seen).toHaveLength(1);
    expect(await webhooks.get(ORG, webhook.id)).toEqual(webhook);
  });

  test.each([
    ['url', { url: 'not a url' }],
    ['url', { url: 'ftp://192.88.0.1/' }],
    ['url', { url: 'http://192.88.0.1/' }],
    ['url', { url: 'https://user:pass@192.88.0.1/' }],
    ['url', { url: 'https://127.0.0.1/' }],
    ['url', { url: 'https://10.1.2.3/' }],
    ['url', { url: 'https://169.254.169.254/latest' }],
    ['url', { url: 'https://[::1]/' }],
    ['url', { url: 'https://0x7f000001/' }],
    ['url', { url: 'https://inside.example/' }],
    ['url', { url: `https://192.88.0.1/${'x'.repeat(2048)}` }],
    ['events', { events: [] }],
    ['events', { events: ['post created'] }],
    ['events', { events: Array.from({ length: 51 }, (_, index) => `type.n${index}`) }],
    ['groups', { groups: [''] }],
    ['groups', { groups: Array.from({ length: 51 }, (_, index) => `group_${index}`) }],
  ])('a bad %s is refused at creation and at a change: %j', async (field, bad) => {
    const bed = await openBed(open, {
      delivers: false,
      policy: {
        resolve: async () => [
          { address: '192.88.0.1', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ],
      },
    });
    const { webhooks } = bed.events;
    const refusal = { code: 'invalid', message: expect.stringMatching(`^${field}: `) };
    await expect(webhooks.create(ORG, { url: PUBLIC_URL, events: ['*'], ...bad })).rejects.toMatchObject(
      refusal,
    );
    expect(await webhooks.list(ORG)).toEqual([]);
    const { webhook } = await webhooks.create(ORG, { url: PUBLIC_URL, events: ['*'] });
    await expect(webhooks.update(ORG, webhook.id, bad)).rejects.toMatchObject(refusal);
    expect(await webhooks.get(ORG, webhook.id)).toEqual(webhook);
  });

  test('one more than the limit is refused', async () => {
    const bed = await openBed(open, { delivers: false, limits: { webhooksPerOrganization: 1 } });
    const create = (organizationId: string) =>
      bed.events.webhooks.create(organizationId, { url: PUBLIC_URL, events: ['*'] });
    await create(ORG);
    await expect(create(ORG)).rejects.toMatchObject({ code: 'conflict' });
    await create('org_other');
  });

  test('a delivery is the event as structured JSON, signed as the standard says', async () => {
    const { receiver, bed, secret } = await bedWithWebhook();
    const id = await bed.publish({ subject: 'post_1', data: { title: 'Grüße 👋' } });
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    const [request] = receiver.seen;
    expect(request!.headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      'webhook-id': id,
      'webhook-timestamp': String(bed.clock.ms / 1000),
    });
    expect(request!.event).toEqual({
      specversion: '1.0',
      id,
      source: 'feedback',
      type: 'post.created',
      time: new Date(bed.clock.ms).toISOString(),
      subject: 'post_1',
      datacontenttype: 'application/json',
      data: { title: 'Grüße 👋' },
      parleyseq: 1,
    });
    expect(isSignedBy(secret, request!)).toBe(true);
    expect(isSignedBy(secret, { ...request!, body: `${request!.body} ` })).toBe(false);
    expect(isSignedBy(`whsec_${Buffer.alloc(32).toString('base64')}`, request!)).toBe(false);
  });

  test('both secrets sign for a day after a rotation, then only the new one', async () => {
    const { receiver, bed, webhook, secret: old } = await bedWithWebhook();
    const { secret, webhook: rotated } = await bed.events.webhooks.rotate(ORG, webhook.id);
    expect(rotated).toEqual(webhook);
    expect(secret).not.toBe(old);
    const signedBy = async () => {
      const before = receiver.taken.length;
      await bed.publish();
      await eventually(() => expect(receiver.taken).toHaveLength(before + 1));
      const request = receiver.taken.at(-1)!;
      const signatures = String(request.headers['webhook-signature']).split(' ').length;
      return { signatures, old: isSignedBy(old, request), current: isSignedBy(secret, request) };
    };
    expect(await signedBy()).toEqual({ signatures: 2, old: true, current: true });
    await bed.turn(DAY_MS - 1);
    expect(await signedBy()).toEqual({ signatures: 2, old: true, current: true });
    await bed.turn(1);
    expect(await signedBy()).toEqual({ signatures: 1, old: false, current: true });
    await bed.events.sweep();
    const [row] = await bed.store.db<EventTables>().selectFrom('webhooks').selectAll().execute();
    expect([row?.previous_secret, row?.previous_until]).toEqual([null, null]);
  });

  test('a secret is in no answer and, but sealed, in no table', async () => {
    const { receiver, bed, webhook, secret: first } = await bedWithWebhook();
    const { webhooks } = bed.events;
    const { secret: second, webhook: rotated } = await webhooks.rotate(ORG, webhook.id);
    await bed.publish();
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    await bed.idle();
    const answers: unknown[] = [
      rotated,
      await webhooks.list(ORG),
      await webhooks.get(ORG, webhook.id),
      await webhooks.update(ORG, webhook.id, { groups: ['a'] }),
      await webhooks.deliveries(ORG, webhook.id, { limit: 10 }),
      await webhooks.test(ORG, webhook.id),
    ];
    for (const table of [
      'events',
      'event_targets',
      'event_subscriptions',
      'event_deliveries',
      'webhooks',
      'tasks',
    ])
      answers.push((await sql`select * from ${sql.table(table)}`.execute(bed.store.db())).rows);
    const text = JSON.stringify([answers, receiver.seen]);
    for (const secret of [first, second]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice('whsec_'.length));
    }
    expect(text).not.toContain('whsec_');
  });

  test('a secret that cannot be opened is a failed attempt, and a rotation mends it', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    await bed.store.db<EventTables>().updateTable('webhooks').set({ secret: 'v1.lost.AAAA' }).execute();
    await bed.publish();
    await eventually(async () =>
      expect(await bed.events.webhooks.deliveries(ORG, webhook.id, { limit: 1 })).toMatchObject([
        { status: 'pending', attempts: 1, error: expect.stringContaining('Rotate it') },
      ]),
    );
    expect(receiver.seen).toEqual([]);
    const { secret } = await bed.events.webhooks.rotate(ORG, webhook.id);
    await bed.turn(5_000);
    await eventually(() => expect(receiver.taken).toHaveLength(1));
    expect(isSignedBy(secret, receiver.taken[0]!)).toBe(true);
    expect(bed.faults).toEqual([]);
  });

  test('tells how its last attempts ended, so that trouble is seen', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    const becomes = (expected: object) =>
      eventually(async () =>
        expect(await bed.events.webhooks.lastOutcome(ORG, webhook.id)).toEqual(expected),
      );
    const failing = { outcome: 'failing', error: expect.stringContaining('500') };
    await becomes({ outcome: 'none', error: null });
    await bed.publish();
    await becomes({ outcome: 'delivered', error: null });
    receiver.script = () => 500;
    await bed.publish({ orderKey: 'a' });
    await becomes(failing);
    // Another one arrives; the first is still being tried.
    receiver.script = () => 200;
    await bed.publish({ orderKey: 'b' });
    await eventually(async () =>
      expect((await bed.events.webhooks.get(ORG, webhook.id)).failureCount).toBe(0),
    );
    await becomes(failing);
    await bed.turn(5_000);
    await becomes({ outcome: 'delivered', error: null });
    await expect(bed.events.webhooks.lastOutcome('org_other', webhook.id)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('is switched off after three days of failure, says why, and can be enabled again', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook({
      limits: { retryDelaysMs: Array(6).fill(DAY_MS) },
    });
    const told: (string | null)[] = [];
    bed.store.signal.subscribe(WEBHOOK_DISABLED, ({ payload }) => told.push(payload));
    receiver.script = () => 500;
    await bed.publish();
    const failures = (count: number) =>
      eventually(async () =>
        expect((await bed.events.webhooks.get(ORG, webhook.id)).failureCount).toBe(count),
      );
    await failures(1);
    for (const day of [1, 2]) {
      await bed.turn(DAY_MS);
      await failures(day + 1);
      expect((await bed.events.webhooks.get(ORG, webhook.id)).state).toBe('enabled');
    }
    await bed.turn(DAY_MS);
    await failures(4);
    expect(await bed.events.webhooks.get(ORG, webhook.id)).toMatchObject({
      state: 'disabled',
      disabledReason: expect.stringContaining('every delivery failed for 3 days'),
    });
    expect(told).toEqual([webhook.id]);
    await bed.publish();
    await bed.turn(30 * DAY_MS);
    await bed.idle();
    expect(receiver.seen).toHaveLength(4);
    const [cancelled, ...others] = await bed.events.webhooks.deliveries(ORG, webhook.id, { limit: 10 });
    expect(others).toEqual([]);
    expect(cancelled).toMatchObject({ status: 'cancelled', attempts: 4 });
    await expect(bed.events.webhooks.resend(ORG, cancelled!.id)).rejects.toMatchObject({ code: 'conflict' });
    receiver.script = () => 200;
    expect(await bed.events.webhooks.update(ORG, webhook.id, { enabled: true })).toMatchObject({
      state: 'enabled',
      disabledReason: null,
      failureCount: 0,
    });
    await bed.events.webhooks.resend(ORG, cancelled!.id);
    await eventually(() => expect(receiver.taken).toHaveLength(1));
  });

  test('one delivery that arrives ends the row of failures', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook({
      limits: { retryDelaysMs: Array(6).fill(2 * DAY_MS) },
    });
    receiver.script = ({ event }) => (event.subject === 'bad' ? 500 : 200);
    const failureCount = async () => (await bed.events.webhooks.get(ORG, webhook.id)).failureCount;
    await bed.publish({ subject: 'bad' });
    await eventually(async () => expect(await failureCount()).toBe(1));
    await bed.turn(DAY_MS);
    await bed.publish({ subject: 'good' });
    await eventually(async () => expect(await failureCount()).toBe(0));
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await bed.turn(DAY_MS + (attempt - 1) * DAY_MS);
      await eventually(async () => expect(await failureCount()).toBe(attempt));
    }
    expect((await bed.events.webhooks.get(ORG, webhook.id)).state).toBe('enabled');
  });

  test('410 switches it off at once', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    receiver.script = () => 410;
    await bed.publish({ subject: 'gone', orderKey: 'a' });
    await bed.publish({ subject: 'behind it', orderKey: 'a' });
    await eventually(async () =>
      expect(await bed.events.webhooks.get(ORG, webhook.id)).toMatchObject({
        state: 'disabled',
        disabledReason: expect.stringContaining('410'),
      }),
    );
    await bed.idle();
    const found = await bed.events.webhooks.deliveries(ORG, webhook.id, { limit: 10 });
    expect(found.map(({ subject, status }) => [subject, status])).toEqual([
      ['behind it', 'cancelled'],
      ['gone', 'dead'],
    ]);
    expect(receiver.seen).toHaveLength(1);
  });

  test('a test event is sent now, signed, and kept nowhere', async () => {
    const { receiver, bed, webhook, secret } = await bedWithWebhook();
    expect(await bed.events.webhooks.test(ORG, webhook.id)).toEqual({
      status: 200,
      durationMs: expect.any(Number),
    });
    expect(receiver.seen[0]!.event).toMatchObject({ type: 'webhook.test', source: `${ORG}_self` });
    expect(isSignedBy(secret, receiver.seen[0]!)).toBe(true);
    receiver.script = () => 404;
    expect(await bed.events.webhooks.test(ORG, webhook.id)).toMatchObject({
      status: 404,
      error: 'The receiver answered with status 404.',
    });
    receiver.script = (_request, response) => {
      response.destroy();
    };
    expect(await bed.events.webhooks.test(ORG, webhook.id)).toMatchObject({
      status: null,
      error: expect.stringContaining('unreachable'),
    });
    expect(await bed.events.webhooks.deliveries(ORG, webhook.id, { limit: 10 })).toEqual([]);
    expect((await bed.events.webhooks.get(ORG, webhook.id)).failureCount).toBe(0);
  });

  test('deliveries come newest first, page by page', async () => {
    const { bed, webhook } = await bedWithWebhook({ delivers: false });
    for (const subject of ['1', '2', '3', '4', '5']) await bed.publish({ subject });
    const pages: (string | null)[][] = [];
    let before: string | undefined;
    for (;;) {
      const page = await bed.events.webhooks.deliveries(ORG, webhook.id, {
        limit: 2,
        ...(before !== undefined && { before }),
      });
      if (page.length === 0) break;
      pages.push(page.map(({ subject }) => subject));
      before = page.at(-1)?.id;
    }
    expect(pages).toEqual([['5', '4'], ['3', '2'], ['1']]);
  });

  test('one that is removed while a request is under way stays removed', async () => {
    const { receiver, bed, webhook } = await bedWithWebhook();
    const answered = Promise.withResolvers<void>();
    receiver.script = (_request, response) => {
      detach(
        answered.promise.then(() => response.writeHead(200).end()),
        () => response.destroy(),
      );
    };
    await bed.publish();
    await eventually(() => expect(receiver.seen).toHaveLength(1));
    await bed.events.webhooks.remove(ORG, webhook.id);
    answered.resolve();
    await bed.idle();
    const rows = await bed.store.db<EventTables>().selectFrom('event_deliveries').selectAll().execute();
    expect(rows).toEqual([]);
    expect(bed.faults).toEqual([]);
  });
});
