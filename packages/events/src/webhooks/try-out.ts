/** Trying a webhook out: one test event, sent now, told to the caller and kept nowhere. */
import { typeId } from '@parley/kit';
import type { CloudEvent } from '../cloud-event.ts';
import type { WebhookRow } from '../schema.ts';
import { signingSecrets } from './secret.ts';
import { sendWebhook } from './send.ts';
import type { WebhookParts } from './target.ts';

/** How the receiver answered the test event. */
export interface TestAnswer {
  /** The status, or null when there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why it does not count as delivered. */
  readonly error?: string;
}

/** Sends the test event. */
export async function tryOut(parts: WebhookParts, webhook: WebhookRow): Promise<TestAnswer> {
  const { store, egress, limits } = parts;
  const now = parts.now();
  const startedMs = performance.now();
  const answer = await sendWebhook({
    egress,
    limits,
    url: webhook.url,
    secrets: signingSecrets(store.secrets, webhook, now),
    event: testEvent(webhook, now),
    now,
    signal: new AbortController().signal,
  });
  return {
    status: answer.statusCode,
    durationMs: Math.round(performance.now() - startedMs),
    ...(answer.error !== null && { error: answer.error }),
  };
}

function testEvent(webhook: WebhookRow, now: number): CloudEvent {
  return {
    specversion: '1.0',
    id: typeId('evt', now),
    source: `${webhook.organization_id}_self`,
    type: 'webhook.test',
    subject: webhook.id,
    time: new Date(now).toISOString(),
    datacontenttype: 'application/json',
    data: { message: 'This is a test event.' },
    parleyseq: 0,
  };
}
