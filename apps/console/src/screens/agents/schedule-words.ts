/** Owns saying in words when a schedule runs. */
import type { useCronText } from '../../ui/cron-text.ts';

export type Timing =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  | { readonly kind: 'interval'; readonly minutes: number }
  | { readonly kind: 'event'; readonly type: string; readonly filter?: string };

/** When a schedule runs, in words; a cron without its zone. */
export function timingText(timing: Timing, cronText: ReturnType<typeof useCronText>): string {
  if (timing.kind === 'event') return `When ${timing.type} happens`;
  if (timing.kind === 'cron') return cronText(timing.cron) ?? timing.cron;
  return `Every ${minutesText(timing.minutes)}`;
}

const HOUR = 60;
const DAY = 24 * HOUR;

function minutesText(minutes: number): string {
  const [count, unit] =
    minutes % DAY === 0
      ? [minutes / DAY, 'day']
      : minutes % HOUR === 0
        ? [minutes / HOUR, 'hour']
        : [minutes, 'minute'];
  return count === 1 ? unit : `${count} ${unit}s`;
}

/** A time as a clock of that zone shows it. */
export function timeIn(zone: string, at: string): string {
  return new Intl.DateTimeFormat('en', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: zone,
  }).format(new Date(at));
}
