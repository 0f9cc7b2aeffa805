/** One signed request to one webhook. */
import { EgressError } from '@parley/kit/egress';
import type { EgressResponse } from '@parley/kit/egress';
import type { CloudEvent } from '../cloud-event.ts';
import type { EventLimits } from '../limits.ts';
import { signatures } from './secret.ts';
import type { Egress } from '@parley/kit/egress';

/** How a receiver answered: a status, or why there is none. */
export type Answer =
  | { readonly statusCode: number; readonly error: string | null }
  | { readonly statusCode: null; readonly error: string };

export interface SendOptions {
  readonly egress: Egress;
  readonly limits: EventLimits;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly event: CloudEvent;
  readonly now: number;
  readonly signal: AbortSignal;
}

const NO_SECRET = 'The signing secret cannot be opened with the key of this server. Rotate it.';

/** Sends the event; throws only when the caller's signal fires. */
export async function sendWebhook(options: SendOptions): Promise<Answer> {
  const { egress, limits, url, secrets, event, signal } = options;
  if (secrets.length === 0) return { statusCode: null, error: NO_SECRET };
  const body = JSON.stringify(event);
  const timestamp = Math.floor(options.now / 1000);
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await egress.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/cloudevents+json',
        'user-agent': 'parley-webhooks',
        'webhook-id': event.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures(secrets, { id: event.id, timestamp, body }),
      },
      body,
      signal: AbortSignal.any([signal, timeout]),
      stream: true,
      // Where an event goes is decided by the maker of the webhook, not by the receiver.
      redirect: 'manual',
    });
    await drain(response, limits.answerBytes);
    const { status: statusCode } = response;
    const isTaken = statusCode >= 200 && statusCode < 300;
    return { statusCode, error: isTaken ? null : `The receiver answered with status ${statusCode}.` };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      return {
        statusCode: null,
        error: `The receiver did not answer within ${limits.timeoutMs / 1000} seconds.`,
      };
    }
    if (error instanceof EgressError) return { statusCode: null, error: error.message };
    throw error;
  }
}

/** Reads a short answer to its end, so that the connection can be used again; a long one is dropped. */
async function drain(response: EgressResponse, maxBytes: number): Promise<void> {
  let sizeBytes = 0;
  try {
    for await (const chunk of response.body) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) break;
    }
  } catch {
    // The status has said it already.
  }
}
