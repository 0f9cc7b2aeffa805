/** Routes of what reaches in and out: API keys and webhooks. Secrets are shown once. */
import { created, nothing, one, page, pageFields, whole } from '@parley/http/rest';
import * as z from 'zod';
import {
  ApiKey,
  CreateKey,
  CreateWebhook,
  Delivery,
  DELIVERY_STATUSES,
  PatchWebhook,
  Webhook,
  WebhookTest,
} from '../../shapes/nouns.ts';
import { defineRoute } from '../route.ts';
import { WHO_MAY } from '../../services/who-may.ts';
import { whoFor } from '../../team-surface.ts';

const WebhookWithSecret = Webhook.extend({ secret: z.string().describe('Signs deliveries; shown once') });
const KeyWithText = ApiKey.extend({ key: z.string().describe('The key itself; shown once') });

const webhookRoutes = [
  defineRoute({
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks',
    who: whoFor(WHO_MAY.webhooks.list),
    grants: ['manage_webhooks'],
    answer: whole('Webhook', Webhook),
    run: ({ services, actor }) => services.webhooks.list(actor),
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks',
    summary: 'Make a webhook; its secret is shown once',
    who: whoFor(WHO_MAY.webhooks.create),
    grants: ['manage_webhooks'],
    body: CreateWebhook.strict(),
    hasSecret: true,
    answer: created('WebhookWithSecret', WebhookWithSecret, ({ id }) => `/webhooks/${id}`),
    async run({ services, actor, body }) {
      const { webhook, secret } = await services.webhooks.create(actor, body);
      return { ...webhook, secret };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id',
    summary: 'Read a webhook',
    who: whoFor(WHO_MAY.webhooks.get),
    grants: ['manage_webhooks'],
    answer: one('Webhook', Webhook),
    run: ({ services, actor, params }) => services.webhooks.get(actor, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/webhooks/:id',
    summary: 'Change a webhook, or switch it on or off',
    who: whoFor(WHO_MAY.webhooks.update),
    grants: ['manage_webhooks'],
    body: PatchWebhook.strict(),
    answer: one('Webhook', Webhook),
    run: ({ services, actor, params, body, check }) =>
      services.webhooks.update(actor, params.id, body, check),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/webhooks/:id',
    summary: 'Delete a webhook with its deliveries',
    who: whoFor(WHO_MAY.webhooks.delete),
    grants: ['manage_webhooks'],
    answer: nothing,
    run: ({ services, actor, params, check }) => services.webhooks.delete(actor, params.id, check),
  }),
];

const deliveryRoutes = [
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/rotate',
    summary: 'Make a new secret; the old one signs too for 24 hours',
    who: whoFor(WHO_MAY.webhooks.rotate),
    grants: ['manage_webhooks'],
    hasSecret: true,
    answer: one('WebhookWithSecret', WebhookWithSecret),
    async run({ services, actor, params }) {
      const { webhook, secret } = await services.webhooks.rotate(actor, params.id);
      return { ...webhook, secret };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks/:id/test',
    summary: 'Send a test event now',
    who: whoFor(WHO_MAY.webhooks.test),
    grants: ['manage_webhooks'],
    answer: one('WebhookTest', WebhookTest),
    run: ({ services, actor, params }) => services.webhooks.test(actor, params.id),
  }),
  defineRoute({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    summary: 'What was sent and what waits, newest first',
    who: whoFor(WHO_MAY.webhooks.deliveries),
    grants: ['manage_webhooks'],
    query: z.strictObject({ status: z.enum(DELIVERY_STATUSES).optional(), ...pageFields }),
    answer: page('Delivery', Delivery),
    run: ({ services, actor, params, query }) => services.webhooks.deliveries(actor, params.id, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/deliveries/:id/resend',
    summary: 'Send a dead delivery again',
    who: whoFor(WHO_MAY.webhooks.resend),
    grants: ['manage_webhooks'],
    answer: one('Delivery', Delivery),
    run: ({ services, actor, params }) => services.webhooks.resend(actor, params.id),
  }),
];

const keyRoutes = [
  defineRoute({
    method: 'GET',
    path: '/keys',
    summary: 'List API keys, never their text',
    who: whoFor(WHO_MAY.keys.list),
    grants: ['manage_keys'],
    answer: whole('ApiKey', ApiKey),
    run: ({ services, caller, actor }) => services.keys.list(actor, caller),
  }),
  defineRoute({
    method: 'POST',
    path: '/keys',
    summary: 'Make an API key, never stronger than its maker; its text is shown once',
    who: whoFor(WHO_MAY.keys.create),
    isSensitive: true,
    grants: ['manage_keys'],
    body: CreateKey.strict(),
    hasSecret: true,
    answer: created('KeyWithText', KeyWithText, ({ id }) => `/keys/${id}`),
    async run({ services, caller, actor, body }) {
      const { key, secretText } = await services.keys.create(actor, caller, body);
      return { ...key, key: secretText };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/keys/:id',
    summary: 'Revoke an API key',
    who: whoFor(WHO_MAY.keys.revoke),
    isSensitive: true,
    grants: ['manage_keys'],
    answer: nothing,
    async run({ services, caller, actor, params }) {
      await services.keys.revoke(actor, caller, params.id);
    },
  }),
];

export const accessRoutes = [...webhookRoutes, ...deliveryRoutes, ...keyRoutes];
