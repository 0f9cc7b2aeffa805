/** Owns how a key stands, in a word. */
import { StateBadge } from '../../../ui/badge.tsx';
import type { Tone } from '../../../ui/badge.tsx';
import type { Key } from '../../../api/schema.ts';

const TONES: Readonly<Record<Key['state'], Tone>> = {
  active: 'green',
  expired: 'neutral',
  revoked: 'neutral',
};

/** How a key stands. */
export function KeyBadge({ state }: { readonly state: Key['state'] }) {
  return <StateBadge state={state} tone={TONES[state]} />;
}
