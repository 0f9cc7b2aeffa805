/** Owns how a webhook stands, in a word and a colour. */
import { StateBadge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/badge.tsx';
import type { Webhook } from '../../api/schema.ts';

/** How a webhook stands, in a word. */
export function stateOf({ state, last }: Webhook): string {
  if (state === 'disabled') return 'off';
  return last.outcome === 'none' ? 'not tried' : last.outcome;
}

const TONES: Readonly<Record<string, Tone>> = {
  off: 'neutral',
  'not tried': 'blue',
  delivered: 'green',
  failing: 'red',
};

/** The same with its colour. */
export function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  const state = stateOf(webhook);
  return <StateBadge state={state} tone={TONES[state]} />;
}
