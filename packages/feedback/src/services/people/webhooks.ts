/** Webhooks: who outside hears of what happens. The events package keeps and delivers them. */
import type { Webhook as EventWebhook, WebhookDelivery } from '@parley/events';
import type { Actor } from '../../actor.ts';
import type { CursorScope } from '../../cursor.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import { isoOf, isoOrNull } from '../../shapes/fields.ts';
import type { CreateWebhook, Delivery, PatchWebhook, Webhook, WebhookTest } from '../../shapes/nouns.ts';
import type { Page, PageQuery } from '../../shapes/posts.ts';
import { idOf, unknownNoun } from '../names.ts';
import { pageOf, startOf } from '../paging.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base } from '../write.ts';

/** Which deliveries are wanted. */
export interface DeliveryQuery extends PageQuery {
  readonly status?: Delivery['status'] | undefined;
}

/** A webhook with the secret that was just made. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** What administrators can do with webhooks. */
export interface WebhookService {
  list(actor: Actor): Promise<Webhook[]>;
  get(actor: Actor, id: string): Promise<Webhook>;
  /** The secret is shown here and never again. */
  create(actor: Actor, input: CreateWebhook): Promise<WebhookWithSecret>;
  update(actor: Actor, id: string, patch: PatchWebhook, check?: CheckCurrent<Webhook>): Promise<Webhook>;
  delete(actor: Actor, id: string, check?: CheckCurrent<Webhook>): Promise<void>;
  /** A new secret; the old one signs beside it for a day. */
  rotate(actor: Actor, id: string): Promise<WebhookWithSecret>;
  /** Sends one test event now. */
  test(actor: Actor, id: string): Promise<WebhookTest>;
  /** The newest first. */
  deliveries(actor: Actor, id: string, query: DeliveryQuery): Promise<Page<Delivery>>;
  resend(actor: Actor, deliveryId: string): Promise<Delivery>;
}

export function createWebhooks(base: Base): WebhookService {
  const { webhooks } = base.events;
  const placeOf = (actor: Actor, id: string): [organizationId: string, id: string] => [
    actor.organizationId,
    checkId('webhook', id),
  ];
  return {
    async list(actor) {
      return (await webhooks.list(actor.organizationId)).map(toWebhook);
    },
    get: async (actor, id) => toWebhook(await webhooks.get(...placeOf(actor, id))),
    async create(actor, { url, events, boardIds = [] }) {
      const groups = await requireBoards(base, actor, boardIds);
      const createdBy = actor.memberId;
      const made = await webhooks.create(actor.organizationId, { url, events, groups, createdBy });
      return { webhook: toWebhook(made.webhook), secret: made.secret };
    },
    async update(actor, id, { url, events, boardIds, state }, check) {
      const place = placeOf(actor, id);
      check?.(toWebhook(await webhooks.get(...place)));
      const changed = await webhooks.update(...place, {
        ...(url !== undefined && { url }),
        ...(events !== undefined && { events }),
        ...(boardIds !== undefined && { groups: await requireBoards(base, actor, boardIds) }),
        ...(state !== undefined && { enabled: state === 'enabled' }),
      });
      return toWebhook(changed);
    },
    async delete(actor, id, check) {
      const place = placeOf(actor, id);
      check?.(toWebhook(await webhooks.get(...place)));
      await webhooks.remove(...place);
    },
    async rotate(actor, id) {
      const { webhook, secret } = await webhooks.rotate(...placeOf(actor, id));
      return { webhook: toWebhook(webhook), secret };
    },
    async test(actor, id) {
      const { status, durationMs, error = null } = await webhooks.test(...placeOf(actor, id));
      return { status, durationMs, error };
    },
    deliveries: async (actor, id, query) => listDeliveries(base, placeOf(actor, id), query),
    async resend(actor, deliveryId) {
      return toDelivery(await webhooks.resend(actor.organizationId, deliveryId));
    },
  };
}

/** Boards that are there, each once. */
async function requireBoards({ store }: Base, actor: Actor, boardIds: readonly string[]): Promise<string[]> {
  const given = new Set<string>();
  for (const text of boardIds) given.add(await idOf(store, actor, 'board', text));
  const wanted = [...given];
  if (wanted.length === 0) return [];
  const found = await store
    .db<FeedbackTables>()
    .selectFrom('feedback_boards')
    .select('id')
    .where('organization_id', '=', actor.organizationId)
    .where('id', 'in', wanted)
    .where('deleted_at', 'is', null)
    .execute();
  if (found.length !== wanted.length) throw await unknownNoun(store, actor, 'board');
  return wanted;
}

async function listDeliveries(
  { events }: Base,
  [organizationId, webhookId]: [string, string],
  query: DeliveryQuery,
): Promise<Page<Delivery>> {
  const { status, limit } = query;
  const scope: CursorScope = { entity: 'deliveries', sort: 'newest', filter: { webhookId, status } };
  const start = startOf(scope, query);
  const rows = await events.webhooks.deliveries(organizationId, webhookId, {
    limit: limit + 1,
    ...(status !== undefined && { status }),
    ...(start !== undefined && { before: start.id }),
  });
  const total = await events.webhooks.countDeliveries(organizationId, webhookId, status);
  const position = ({ createdAt, id }: WebhookDelivery) => ({ key: createdAt, id });
  return pageOf(rows, { scope, limit, total, items: rows.map(toDelivery), position });
}

function toWebhook(webhook: EventWebhook): Webhook {
  return {
    id: webhook.id,
    url: webhook.url,
    events: [...webhook.events],
    boardIds: [...webhook.groups],
    state: webhook.state,
    failureCount: webhook.failureCount,
    disabledReason: webhook.disabledReason,
    createdAt: isoOf(webhook.createdAt),
    updatedAt: isoOf(webhook.updatedAt),
  };
}

function toDelivery({ nextAt, createdAt, deliveredAt, ...delivery }: WebhookDelivery): Delivery {
  return {
    ...delivery,
    nextAttemptAt: isoOrNull(nextAt),
    createdAt: isoOf(createdAt),
    deliveredAt: isoOrNull(deliveredAt),
  };
}
