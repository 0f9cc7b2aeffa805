/** A webhook: JSON to a URL, signed like events are where there is a secret. */
import { signatures } from '@parley/events';
import { ToolError } from '@parley/kit';
import type { Egress, EgressResponse } from '@parley/kit/egress';
import * as z from 'zod';
import type { Channel } from './channel.ts';
import { checkUrl, MOST_URL } from './check-url.ts';

const Config = z.strictObject({
  url: z.string().trim().min(1).max(MOST_URL),
  secret: z.string().trim().min(1).max(500).optional(),
});

type WebhookConfig = z.output<typeof Config>;

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES = 64 * 1024;

export function createWebhookChannel(egress: Egress, now: () => number): Channel<WebhookConfig> {
  const post = async ({ url, secret }: WebhookConfig, id: string, body: string, signal: AbortSignal) => {
    const timestamp = Math.floor(now() / 1000);
    const response = await egress.fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'parley-agent',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        ...(secret !== undefined && {
          'webhook-signature': signatures([keyOf(secret)], { id, timestamp, body }),
        }),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      stream: true,
      // Where it goes is decided by whoever set the channel, not by the receiver.
      redirect: 'manual',
    });
    await drain(response);
    if (response.status < 200 || response.status > 299)
      throw new ToolError('unavailable', `The webhook answered with status ${response.status}.`);
  };
  return {
    type: 'webhook',
    config: Config,
    check: ({ url }) => checkUrl(egress, 'url', url),
    send: (config, { createdAt, ...notice }, signal) =>
      post(
        config,
        notice.id,
        JSON.stringify({ type: 'notification', ...notice, created_at: iso(createdAt) }),
        signal,
      ),
    async ask(config, { createdAt, deadlineAt, ...asked }, signal) {
      const times = { created_at: iso(createdAt), deadline: iso(deadlineAt) };
      const answer = `/api/questions/${asked.id}/answer`;
      await post(config, asked.id, JSON.stringify({ type: 'question', ...asked, ...times, answer }), signal);
      return null;
    },
  };
}

/** A secret of any form as the signature wants it. */
function keyOf(secret: string): string {
  return secret.startsWith('whsec_') ? secret : `whsec_${Buffer.from(secret).toString('base64')}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Reads a short answer to its end, so that the connection can be used again; a long one is dropped. */
async function drain(response: EgressResponse): Promise<void> {
  let sizeBytes = 0;
  try {
    for await (const chunk of response.body) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > ANSWER_BYTES) break;
    }
  } catch {
    // The status has said it already.
  }
}
