/** Owns times: relative to now, exact on hover; one clock moves them all. */
import { useSyncExternalStore } from 'react';

const TICK_MS = 20_000;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

const STEPS = [
  { unit: 'second', ms: 1_000, below: 60_000 },
  { unit: 'minute', ms: 60_000, below: 3_600_000 },
  { unit: 'hour', ms: 3_600_000, below: 86_400_000 },
  { unit: 'day', ms: 86_400_000, below: 30 * 86_400_000 },
] as const;

let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A time as routes and tools give it: ISO text, or milliseconds. */
export type Instant = string | number | Date;

/** "3 min. ago", "in 2 hr."; older than a month: the day. */
export function relativeText(at: Instant, now = Date.now()): string {
  const atMs = new Date(at).getTime();
  if (Number.isNaN(atMs)) return '–';
  const awayMs = atMs - now;
  if (Math.abs(awayMs) < 10_000) return 'just now';
  const step = STEPS.find(({ below }) => Math.abs(awayMs) < below);
  return step ? relative.format(Math.round(awayMs / step.ms), step.unit) : day.format(atMs);
}

/** The exact time in words, in the zone of the person. */
export function exactText(at: Instant): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '–' : exact.format(date);
}

/** The clock ticks seldom: what happened since is just now, and not to come. */
function notBefore(atMs: number, now: number): number {
  return atMs <= Date.now() ? Math.max(now, atMs) : now;
}

/** Shows a time relative to now, with the exact one on hover. */
export function When({ at }: { readonly at: Instant | null | undefined }) {
  const now = useSyncExternalStore(subscribe, () => nowMs);
  if (at === null || at === undefined) return <span className="faint">never</span>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span className="faint">–</span>;
  return (
    <time className="number" dateTime={date.toISOString()} title={exact.format(date)}>
      {relativeText(at, notBefore(date.getTime(), now))}
    </time>
  );
}

/** A length of time in the two largest units that matter: "850 ms", "2.4 s", "3 min 20 s". */
export function durationText(ms: number): string {
  if (ms < 1) return '<1 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}
