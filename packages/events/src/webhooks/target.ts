/** Webhooks as a kind of target. */
import type { Store } from '@parley/store';
import type { CloudEvent } from '../cloud-event.ts';
import type { Attempt, Target, TargetKind } from '../delivery/parts.ts';
import type { EventLimits } from '../limits.ts';
import type { EventTables, WebhookRow } from '../schema.ts';
import { endFailures, GONE, noteAttempt } from './health.ts';
import { signingSecrets } from './secret.ts';
import { sendWebhook } from './send.ts';
import type { Egress } from '@parley/kit/egress';

/** The kind of a webhook's target. */
export const WEBHOOK = 'webhook';

export interface WebhookParts {
  readonly store: Store;
  readonly egress: Egress;
  readonly limits: EventLimits;
  readonly now: () => number;
}

/** Delivers to webhooks. */
export function webhookTarget({ store, egress, limits, now }: WebhookParts): TargetKind {
  const reads = new Map<string, Promise<WebhookRow | undefined>>();
  return {
    kind: WEBHOOK,
    retryDelaysMs: limits.retryDelaysMs,
    jitter: 0,
    lanes: limits.lanes,
    batch: 1,
    isOrdered: true,
    perSubscription: false,
    async attempt(target, { events }, signal) {
      const attempts = new Map<string, Attempt>();
      for (const event of events) attempts.set(event.id, await send(target, event, signal));
      return attempts;
    },
    arrived: endFailures,
    async settled(tx, target, attempts) {
      for (const attempt of attempts) await noteAttempt(tx, target.id, attempt, { limits, now: now() });
    },
  };

  /** The webhook as it is now; requests that begin together look once. */
  function read(webhookId: string): Promise<WebhookRow | undefined> {
    const underWay = reads.get(webhookId);
    if (underWay !== undefined) return underWay;
    const query = store.db<EventTables>().selectFrom('webhooks').selectAll().where('id', '=', webhookId);
    const reading = query.executeTakeFirst();
    reads.set(webhookId, reading);
    queueMicrotask(() => reads.delete(webhookId));
    return reading;
  }

  async function send(target: Target, event: CloudEvent, signal: AbortSignal): Promise<Attempt> {
    const webhook = await read(target.id);
    if (webhook?.state !== 'enabled') return { outcome: 'cancelled', error: 'The webhook was switched off.' };
    const at = now();
    const secrets = signingSecrets(store.secrets, webhook, at);
    const { url } = webhook;
    const answer = await sendWebhook({ egress, limits, url, secrets, event, now: at, signal });
    const { statusCode, error } = answer;
    if (error === null) return { outcome: 'delivered', statusCode };
    return { outcome: statusCode === GONE ? 'dead' : 'failed', statusCode, error };
  }
}
