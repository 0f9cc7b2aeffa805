import { createEgress } from '@parley/kit/egress';
import { typeId } from '@parley/kit';
import { serveForTest } from '@parley/test-support/scripted-server';
import { expect, it, onTestFinished } from 'vitest';
import { Stale } from '../../faults.ts';
import { CreateWebhook, Delivery, Webhook } from '../../shapes/nouns.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { EVENT_TYPES } from '../write.ts';
import { onBothEngines } from '../../testing/engines.ts';

const URL_ = 'https://hooks.example/in';

/** An egress to which every name is a public address. */
function openEgress() {
  const egress = createEgress({ resolve: async () => [{ address: '93.184.216.34', family: 4 }] });
  onTestFinished(() => egress.close());
  return egress;
}

/** A receiver on this machine that answers with a status, and the way to it. */
async function receiver() {
  const bodies: { type: string; subject?: string }[] = [];
  const { host, origin } = await serveForTest(({ body }, response) => {
    bodies.push(JSON.parse(body));
    response.writeHead(204).end();
  });
  const egress = createEgress({ allow: [host] });
  onTestFinished(() => egress.close());
  return { bodies, egress, url: `${origin}/in` };
}

onBothEngines('webhooks', (open) => {
  it('are made for events and boards; their secret is shown once', async () => {
    const store = await open();
    const { services, admin, board } = await openFeedback(store, { egress: openEgress() });
    const boardId = await board();
    const { webhook, secret } = await services.webhooks.create(admin, {
      url: URL_,
      events: ['post.created', 'comment.created'],
      boardIds: [boardId, boardId],
    });
    expect(Webhook.parse(webhook)).toEqual(webhook);
    expect(webhook).toMatchObject({
      url: URL_,
      events: ['post.created', 'comment.created'],
      boardIds: [boardId],
      state: 'enabled',
      failureCount: 0,
      disabledReason: null,
    });
    expect(secret).toMatch(/^whsec_/);
    expect(await services.webhooks.get(admin, webhook.id)).toEqual(webhook);
    expect(await services.webhooks.list(admin)).toEqual([webhook]);
    const rotated = await services.webhooks.rotate(admin, webhook.id);
    expect(rotated.secret).not.toBe(secret);
    const everything = JSON.stringify([
      await services.webhooks.list(admin),
      await services.webhooks.get(admin, webhook.id),
      rotated.webhook,
    ]);
    expect(everything).not.toContain('whsec_');
  });

  it('change in what is given, and can be switched off and on', async () => {
    const { services, admin, board } = await openFeedback(await open(), { egress: openEgress() });
    const boardId = await board();
    const { webhook } = await services.webhooks.create(admin, { url: URL_, events: ['post.created'] });
    const update = (patch: Parameters<typeof services.webhooks.update>[2]) =>
      services.webhooks.update(admin, webhook.id, patch);
    expect(await update({ boardIds: [boardId] })).toMatchObject({ url: URL_, boardIds: [boardId] });
    expect(await update({ events: ['post.merged'], boardIds: [] })).toMatchObject({
      events: ['post.merged'],
      boardIds: [],
    });
    expect(await update({ state: 'disabled' })).toMatchObject({ state: 'disabled' });
    expect(await update({ state: 'enabled' })).toMatchObject({ state: 'enabled', disabledReason: null });
    const refused = services.webhooks.update(admin, webhook.id, { url: URL_ }, () => {
      throw new Stale();
    });
    await expect(refused).rejects.toThrow(Stale);
    await services.webhooks.delete(admin, webhook.id);
    expect(await services.webhooks.list(admin)).toEqual([]);
  });

  it('refuse boards that are not there, and addresses inside', async () => {
    const { services, admin } = await openFeedback(await open());
    const make = (url: string, boardIds: string[] = []) =>
      services.webhooks.create(admin, { url, events: ['post.created'], boardIds });
    expect(await refusalOf(make(URL_, [typeId('board')]))).toEqual({
      code: 'not_found',
      message: 'Board not found. There are no boards yet.',
    });
    expect(await refusalOf(make(URL_, ['tag_x']))).toMatchObject({ code: 'invalid' });
    for (const url of [
      'http://127.0.0.1/',
      'https://10.0.0.1/',
      'https://[fe80::1]/',
      'ftp://hooks.example/',
    ])
      expect(await refusalOf(make(url))).toMatchObject({ code: 'invalid' });
    expect(await services.webhooks.list(admin)).toEqual([]);
  });

  it('take only events that there are', () => {
    const isGood = (input: unknown) => CreateWebhook.safeParse(input).success;
    expect(isGood({ url: URL_, events: [...EVENT_TYPES] })).toBe(true);
    for (const events of [[], ['*'], ['post.*'], ['post.exploded'], 'post.created'])
      expect({ events, isGood: isGood({ url: URL_, events }) }).toEqual({ events, isGood: false });
    for (const url of [
      '',
      'hooks',
      'https://a b/',
      'https://hooks.example/\0',
      `https://x.example/${'y'.repeat(2048)}`,
    ])
      expect({ url, isGood: isGood({ url, events: ['post.created'] }) }).toEqual({ url, isGood: false });
  });

  it('hear of their boards and events only, and show what was delivered', async () => {
    const { url, bodies, egress } = await receiver();
    const { services, admin, member, tasks, post, board } = await openFeedback(await open(), {
      egress,
      taskLimits: { takeoverMs: 20 },
    });
    const boardId = await board();
    const { webhook } = await services.webhooks.create(admin, {
      url,
      events: ['post.created', 'post.deleted'],
      boardIds: [boardId],
    });
    tasks.start();
    try {
      await post();
      const ids = [await post({ boardId }), await post({ boardId }), await post({ boardId })];
      await services.posts.update(member, ids[0] ?? '', { title: 'Unheard' });
      await services.posts.delete(member, ids[0] ?? '');
      await expect.poll(() => bodies.length).toBe(4);
      expect(bodies.map(({ type, subject }) => `${type} ${subject}`).toSorted()).toEqual(
        [...ids.map((id) => `post.created ${id}`), `post.deleted ${ids[0]}`].toSorted(),
      );
      const list = (query: { limit: number; cursor?: string | undefined; status?: 'delivered' | 'dead' }) =>
        services.webhooks.deliveries(admin, webhook.id, query);
      await expect.poll(async () => (await list({ limit: 9, status: 'delivered' })).total).toBe(4);
      const first = await list({ limit: 3 });
      expect(first).toMatchObject({ hasMore: true, total: 4 });
      for (const each of first.items) expect(Delivery.parse(each)).toEqual(each);
      expect(first.items[0]).toMatchObject({
        webhookId: webhook.id,
        eventType: 'post.deleted',
        subject: ids[0],
        status: 'delivered',
        attempts: 1,
        statusCode: 204,
        error: null,
        nextAttemptAt: null,
      });
      const second = await list({ limit: 3, cursor: first.cursor ?? '' });
      expect(second).toMatchObject({
        items: [{ subject: ids[0], eventType: 'post.created' }],
        hasMore: false,
      });
      expect(await list({ limit: 3, status: 'dead' })).toMatchObject({ items: [], total: 0 });
      expect(await refusalOf(list({ limit: 3, status: 'dead', cursor: first.cursor ?? '' }))).toMatchObject({
        code: 'invalid',
      });
      await services.webhooks.resend(admin, first.items[0]?.id ?? '');
      await expect.poll(() => bodies.length).toBe(5);
      expect(await services.webhooks.test(admin, webhook.id)).toMatchObject({ status: 204, error: null });
      expect(bodies.at(-1)?.type).toBe('webhook.test');
      // Both deliveries are stored before the store goes.
      await expect.poll(async () => (await list({ limit: 9, status: 'delivered' })).total).toBe(4);
    } finally {
      await tasks.stop();
    }
  });

  it('that are not there are not found', async () => {
    const { services, admin } = await openFeedback(await open());
    const id = typeId('webhook');
    const gone = { code: 'not_found', message: 'Webhook not found' };
    for (const work of [
      () => services.webhooks.get(admin, id),
      () => services.webhooks.update(admin, id, {}),
      () => services.webhooks.delete(admin, id),
      () => services.webhooks.rotate(admin, id),
      () => services.webhooks.test(admin, id),
      () => services.webhooks.deliveries(admin, id, { limit: 1 }),
    ])
      expect(await refusalOf(work())).toEqual(gone);
    for (const delivery of [typeId('dlv'), 'x', '\0'])
      expect(await refusalOf(services.webhooks.resend(admin, delivery))).toEqual({
        code: 'not_found',
        message: 'Delivery not found',
      });
  });
});
