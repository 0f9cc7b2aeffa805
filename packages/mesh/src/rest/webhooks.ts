/** Routes of webhooks for events of every kind: made, changed, tried, rotated and removed. */
import type { Webhook, WebhookOutcome } from '@parley/events';
import { created, nothing, one, whole } from '@parley/http/rest';
import * as z from 'zod';
import { WEBHOOKS_MANAGE } from '../webhooks.ts';
import { requireOwn } from './own-organization.ts';
import { defineRoute } from './route.ts';

const GRANTS = [WEBHOOKS_MANAGE];
const PATH = '/:orgId/webhooks';

const url = z.string().min(1).max(2000);
const events = z.array(z.string().min(1).max(255)).min(1).max(100).describe('Types, prefix.* or *');

const Item = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  state: z.enum(['enabled', 'disabled']),
  disabledReason: z.string().nullable(),
  failureCount: z.int(),
  last: z.object({ outcome: z.enum(['none', 'delivered', 'failing']), error: z.string().nullable() }),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const WithSecret = Item.extend({ secret: z.string().describe('Shown this once') });

const NOT_TRIED: WebhookOutcome = { outcome: 'none', error: null };

function shown(webhook: Webhook, last: WebhookOutcome = NOT_TRIED): z.output<typeof Item> {
  const { id, state, disabledReason, failureCount, createdAt, updatedAt } = webhook;
  return {
    id,
    url: webhook.url,
    events: [...webhook.events],
    state,
    disabledReason,
    failureCount,
    last: { ...last },
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

export const webhookRoutes = [
  defineRoute({
    method: 'GET',
    path: PATH,
    summary: 'Webhooks, with how their last attempts ended',
    who: 'team',
    grants: GRANTS,
    answer: whole('Webhook', Item),
    async run({ events: { webhooks }, caller, params }) {
      requireOwn(caller, params.orgId);
      const found = await webhooks.list(params.orgId);
      return Promise.all(
        found.map(async (webhook) => shown(webhook, await webhooks.lastOutcome(params.orgId, webhook.id))),
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: PATH,
    summary: 'Make a webhook; the answer has its signing secret, which is shown nowhere else',
    who: 'team',
    grants: GRANTS,
    hasSecret: true,
    body: z.strictObject({ url, events }),
    answer: created('WebhookWithSecret', WithSecret, ({ id }, { orgId }) => `/${orgId}/webhooks/${id}`),
    async run({ events: { webhooks }, caller, params, body }) {
      requireOwn(caller, params.orgId);
      const by = caller.userId === null ? {} : { createdBy: caller.userId };
      const { webhook, secret } = await webhooks.create(params.orgId, { ...body, ...by });
      return { ...shown(webhook), secret };
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: `${PATH}/:webhookId`,
    summary: 'Change where a webhook sends, what it hears of, or switch it off and on',
    who: 'team',
    grants: GRANTS,
    body: z.strictObject({ url: url.optional(), events: events.optional(), enabled: z.boolean().optional() }),
    answer: one('Webhook', Item),
    async run({ events: { webhooks }, caller, params: { orgId, webhookId: id }, body }) {
      requireOwn(caller, orgId);
      const change = {
        ...(body.url !== undefined && { url: body.url }),
        ...(body.events !== undefined && { events: body.events }),
        ...(body.enabled !== undefined && { enabled: body.enabled }),
      };
      const webhook = await webhooks.update(orgId, id, change);
      return shown(webhook, await webhooks.lastOutcome(orgId, id));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${PATH}/:webhookId`,
    summary: 'Remove a webhook with its deliveries',
    who: 'team',
    grants: GRANTS,
    answer: nothing,
    async run({ events: { webhooks }, caller, params: { orgId, webhookId: id } }) {
      requireOwn(caller, orgId);
      await webhooks.remove(orgId, id);
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${PATH}/:webhookId/rotate`,
    summary: 'A new signing secret; the old one signs beside it for a day',
    who: 'team',
    grants: GRANTS,
    effect: 'run',
    isSensitive: true,
    hasSecret: true,
    answer: one('WebhookWithSecret', WithSecret),
    async run({ events: { webhooks }, caller, params: { orgId, webhookId: id } }) {
      requireOwn(caller, orgId);
      const { webhook, secret } = await webhooks.rotate(orgId, id);
      return { ...shown(webhook, await webhooks.lastOutcome(orgId, id)), secret };
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${PATH}/:webhookId/test`,
    summary: 'Send one test event now and tell how the receiver answered',
    who: 'team',
    grants: GRANTS,
    effect: 'run',
    answer: one(
      'WebhookTest',
      z.object({ status: z.int().nullable(), durationMs: z.int(), error: z.string().optional() }),
    ),
    async run({ events: { webhooks }, caller, params: { orgId, webhookId: id } }) {
      requireOwn(caller, orgId);
      return { ...(await webhooks.test(orgId, id)) };
    },
  }),
];
