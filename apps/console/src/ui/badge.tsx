/** Owns small marks: a tone with a word, the effect of a tool, the state of a thing. Never colour alone. */
import type { ReactNode } from 'react';
import type { Effect } from '../api/types.ts';
import './badge.css';
import { classes } from './classes.ts';

/** What a colour means: neutral nothing, green good or new, blue in work, red bad or gone, amber needs care. */
export type Tone = 'neutral' | 'green' | 'blue' | 'red' | 'amber' | 'accent';

/** A word on a soft colour. */
export function Badge({
  tone = 'neutral',
  isDotted,
  title,
  children,
}: {
  readonly tone?: Tone;
  /** Puts a dot of the tone before the word instead of colouring all of it. */
  readonly isDotted?: boolean;
  readonly title?: string;
  readonly children: ReactNode;
}) {
  return (
    <span className={classes('badge', `badge-${tone}`, isDotted && 'badge-dotted')} title={title}>
      {isDotted && <span className="badge-dot" aria-hidden />}
      {children}
    </span>
  );
}

const EFFECT_TONES: Readonly<Record<Effect, Tone>> = {
  read: 'neutral',
  create: 'green',
  update: 'blue',
  delete: 'red',
  run: 'amber',
};

/** What a tool does at worst. */
export function EffectBadge({ effect }: { readonly effect: Effect }) {
  return <Badge tone={EFFECT_TONES[effect]}>{effect}</Badge>;
}

const STATE_TONES: Readonly<Record<string, Tone>> = {
  ok: 'green',
  active: 'green',
  completed: 'green',
  complete: 'green',
  done: 'green',
  resolved: 'green',
  delivered: 'green',
  live: 'green',
  published: 'green',
  approved: 'green',
  connected: 'green',
  healthy: 'green',
  shipped: 'green',
  succeeded: 'green',
  working: 'blue',
  running: 'blue',
  in_progress: 'blue',
  acknowledged: 'blue',
  queued: 'blue',
  planned: 'blue',
  scheduled: 'blue',
  submitted: 'blue',
  under_review: 'blue',
  pending: 'amber',
  input_required: 'amber',
  diff_proposed: 'amber',
  warning: 'amber',
  waiting: 'amber',
  held: 'amber',
  retrying: 'amber',
  needs_auth: 'amber',
  quarantined: 'amber',
  unread: 'amber',
  changed: 'amber',
  degraded: 'amber',
  failed: 'red',
  error: 'red',
  down: 'red',
  dead: 'red',
  spam: 'red',
  rejected: 'red',
  unhealthy: 'red',
  refused: 'red',
};

/** The state of a thing by colour and word; a word that has no colour is grey. */
export function StateBadge({ state, tone }: { readonly state: string; readonly tone?: Tone }) {
  const key = state.toLowerCase().replaceAll(/[\s-]+/g, '_');
  return (
    <Badge tone={tone ?? STATE_TONES[key] ?? 'neutral'} isDotted>
      {state.replaceAll('_', ' ')}
    </Badge>
  );
}
