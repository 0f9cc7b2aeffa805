/** The service of webhooks: made, changed, rotated, tried and removed, always within one organization. */
import { typeId } from '@parley/kit';
import { toJson } from '@parley/store';
import type { DeliveryParts } from '../delivery/parts.ts';
import { newTarget } from '../delivery/pump-task.ts';
import type { DeliveryStatus, EventTables, WebhookRow } from '../schema.ts';
import { checkCount, checkEvents, checkGroups, checkUrl } from './checks.ts';
import type { DeliveryQuery } from './deliveries.ts';
import { countDeliveries, listDeliveries, resendDelivery } from './deliveries.ts';
import { silence } from './health.ts';
import type { WebhookOutcome } from './outcome.ts';
import { lastOutcome } from './outcome.ts';
import { findWebhook, lockWebhook, writeSubscriptions } from './rows.ts';
import { newSecret, openSecret, sealSecret } from './secret.ts';
import { WEBHOOK } from './target.ts';
import type { TestAnswer } from './try-out.ts';
import { tryOut } from './try-out.ts';
import type { Egress } from '@parley/kit/egress';
import type { Webhook, WebhookDelivery } from './webhook.ts';
import { toWebhook } from './webhook.ts';

export interface NewWebhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly groups?: readonly string[];
  readonly createdBy?: string;
}

/** What may change; absent means unchanged. */
export interface WebhookChange {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly groups?: readonly string[];
  readonly enabled?: boolean;
}

/** A webhook with the secret that was just made; nothing shows it again. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** The webhooks of organizations; a foreign id is treated like an unknown one. */
export interface Webhooks {
  create(organizationId: string, webhook: NewWebhook): Promise<WebhookWithSecret>;
  list(organizationId: string): Promise<Webhook[]>;
  get(organizationId: string, webhookId: string): Promise<Webhook>;
  /** How its last attempts ended. */
  lastOutcome(organizationId: string, webhookId: string): Promise<WebhookOutcome>;
  /** Switching off cancels what is open; switching on starts with a clean slate. */
  update(organizationId: string, webhookId: string, change: WebhookChange): Promise<Webhook>;
  /** Takes its deliveries with it. */
  remove(organizationId: string, webhookId: string): Promise<void>;
  /** A new secret; the old one signs beside it for a day. */
  rotate(organizationId: string, webhookId: string): Promise<WebhookWithSecret>;
  /** Sends one event of the type `webhook.test` now; it is not kept and counts nowhere. */
  test(organizationId: string, webhookId: string): Promise<TestAnswer>;
  deliveries(organizationId: string, webhookId: string, query: DeliveryQuery): Promise<WebhookDelivery[]>;
  countDeliveries(organizationId: string, webhookId: string, status?: DeliveryStatus): Promise<number>;
  resend(organizationId: string, deliveryId: string): Promise<WebhookDelivery>;
}

export function createWebhooks(parts: DeliveryParts & { readonly egress: Egress }): Webhooks {
  const { store, limits, now, egress } = parts;
  return {
    async create(organizationId, { url, events, groups = [], createdBy }) {
      const wanted = {
        events: toJson(checkEvents(events, limits)),
        event_groups: toJson(checkGroups(groups, limits)),
      };
      await checkUrl(egress, url);
      const secret = newSecret();
      const at = now();
      const named = { id: typeId('webhook', at), organization_id: organizationId };
      const row: WebhookRow = {
        ...named,
        url,
        ...wanted,
        state: 'enabled',
        disabled_reason: null,
        failure_count: 0,
        failing_since: null,
        failed_at: null,
        secret: sealSecret(store.secrets, named, 'secret', secret),
        previous_secret: null,
        previous_until: null,
        created_by: createdBy ?? null,
        created_at: at,
        updated_at: at,
      };
      await store.transaction(async (tx) => {
        await checkCount(tx, organizationId, limits);
        const db = tx.db<EventTables>();
        await db.insertInto('event_targets').values(newTarget(named, WEBHOOK)).execute();
        await db.insertInto('webhooks').values(row).execute();
        await writeSubscriptions(tx, row, at);
      });
      return { webhook: toWebhook(row), secret };
    },

    async list(organizationId) {
      const rows = await store
        .db<EventTables>()
        .selectFrom('webhooks')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .orderBy('id')
        .execute();
      return rows.map(toWebhook);
    },

    get: async (organizationId, webhookId) => toWebhook(await findWebhook(store, organizationId, webhookId)),

    lastOutcome: async (organizationId, webhookId) =>
      lastOutcome(store, await findWebhook(store, organizationId, webhookId)),

    async update(organizationId, webhookId, change) {
      await findWebhook(store, organizationId, webhookId);
      const fields = await checkedFields(parts, change);
      return store.transaction(async (tx) => {
        const before = await lockWebhook(tx, organizationId, webhookId);
        const row = { ...before, ...fields, updated_at: now() };
        const db = tx.db<EventTables>();
        await db.updateTable('webhooks').set(row).where('id', '=', row.id).execute();
        await writeSubscriptions(tx, row, now());
        if (change.enabled === false) await silence(tx, row.id, SWITCHED_OFF, now());
        return toWebhook(row);
      });
    },

    async remove(organizationId, webhookId) {
      await store.transaction(async (tx) => {
        const { id } = await lockWebhook(tx, organizationId, webhookId);
        // Ends what is open first, so that the events know.
        await silence(tx, id, SWITCHED_OFF, now());
        await tx.db<EventTables>().deleteFrom('event_targets').where('id', '=', id).execute();
      });
    },

    async rotate(organizationId, webhookId) {
      const secret = newSecret();
      const webhook = await store.transaction(async (tx) => {
        const before = await lockWebhook(tx, organizationId, webhookId);
        const old = openSecret(store.secrets, before);
        const row = {
          ...before,
          secret: sealSecret(store.secrets, before, 'secret', secret),
          previous_secret:
            old === undefined ? null : sealSecret(store.secrets, before, 'previous_secret', old),
          previous_until: old === undefined ? null : now() + limits.secretOverlapMs,
          updated_at: now(),
        };
        await tx.db<EventTables>().updateTable('webhooks').set(row).where('id', '=', row.id).execute();
        return toWebhook(row);
      });
      return { webhook, secret };
    },

    test: async (organizationId, webhookId) =>
      tryOut(parts, await findWebhook(store, organizationId, webhookId)),
    deliveries: (organizationId, webhookId, query) => listDeliveries(parts, organizationId, webhookId, query),
    countDeliveries: (organizationId, webhookId, status) =>
      countDeliveries(parts, organizationId, webhookId, status),
    resend: (organizationId, deliveryId) => resendDelivery(parts, organizationId, deliveryId),
  };
}

const SWITCHED_OFF = 'The webhook was switched off.';

async function checkedFields(
  { limits, egress }: DeliveryParts & { readonly egress: Egress },
  { url, events, groups, enabled }: WebhookChange,
): Promise<Partial<WebhookRow>> {
  if (url !== undefined) await checkUrl(egress, url);
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: toJson(checkEvents(events, limits)) }),
    ...(groups !== undefined && { event_groups: toJson(checkGroups(groups, limits)) }),
    ...(enabled === false && { state: 'disabled' as const, disabled_reason: 'Switched off by hand.' }),
    ...(enabled === true && {
      state: 'enabled' as const,
      disabled_reason: null,
      failure_count: 0,
      failing_since: null,
      failed_at: null,
    }),
  };
}
