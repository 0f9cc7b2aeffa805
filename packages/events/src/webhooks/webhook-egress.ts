/** The way out for webhooks: the guard of the kit, with redirects switched off. */
import type { Egress, EgressPolicy } from '@parley/kit/egress';
import { createEgress } from '@parley/kit/egress';

/** An egress that refuses redirects; where an event goes is decided by whoever made the webhook, not by the receiver. */
export interface WebhookEgress extends Egress {
  readonly followsRedirects: false;
}

/** Makes the egress of webhooks from the owner's policy. */
export function createWebhookEgress(policy: EgressPolicy = {}): WebhookEgress {
  const egress = createEgress({ ...policy, limits: { ...policy.limits, maxRedirects: 0 } });
  return { ...egress, followsRedirects: false };
}
