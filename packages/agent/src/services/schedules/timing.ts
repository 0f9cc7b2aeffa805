/** When schedules fire: by a clock of a time zone or in steps, never more often than each five minutes. */
import { ToolError } from '@parley/kit';
import type { Timing } from './schema.ts';

const MINUTE_MS = 60_000;
/** The least time between two firings. */
const LEAST_GAP_MS = 5 * MINUTE_MS;
const LOOKED_AT = 100;
const CRON_FIELDS = 5;

type Clock = Exclude<Timing, { kind: 'event' }>;

/** Refuses a timing that cannot be kept, or fires too often. */
export async function checkTiming(timing: Clock, now: number): Promise<void> {
  if (timing.kind === 'interval') {
    if (timing.minutes * MINUTE_MS >= LEAST_GAP_MS) return;
    throw new ToolError('too_frequent', 'interval_minutes: must be at least 5.');
  }
  const { cron, timezone } = timing;
  const { checkCron, isZone } = await import('@parley/events/cron');
  if (!isZone(timezone))
    throw new ToolError('invalid', 'timezone: write a time zone such as UTC or Europe/Berlin.');
  if (cron.trim().split(/\s+/).length !== CRON_FIELDS) throw badCron();
  try {
    checkCron(cron, timezone);
  } catch {
    throw badCron();
  }
  const times = await firingsAfter(timing, now, LOOKED_AT);
  if (times.length === 0)
    throw new ToolError('invalid_cron', 'cron_expression: this names no time to come. Write one that does.');
  const isDense = times.some((time, index) => time - (times[index - 1] ?? -Infinity) < LEAST_GAP_MS);
  if (isDense)
    throw new ToolError(
      'too_frequent',
      'cron_expression: two firings lie less than 5 minutes apart. Let at least 5 minutes pass between any two.',
    );
}

function badCron(): ToolError {
  return new ToolError(
    'invalid_cron',
    'cron_expression: this cannot be read. Write five fields, such as "0 9 * * 1-5".',
  );
}

/** The next firings after a time that the schedule fired at, or was made at. */
export async function firingsAfter(timing: Timing, after: number, count: number): Promise<number[]> {
  if (timing.kind === 'event') return [];
  if (timing.kind === 'interval')
    return Array.from({ length: count }, (_, index) => after + (index + 1) * timing.minutes * MINUTE_MS);
  const { nextInstants } = await import('@parley/events/cron');
  return nextInstants(timing.cron, timing.timezone, after, count);
}

/** What a look at a schedule finds: which due times are over, whether the last of them is late enough to be made up for, and what is next. */
export interface Due {
  /** Older than five minutes: they are not made up for. */
  readonly skipped: readonly number[];
  readonly fires: number | undefined;
  readonly next: number | null;
}

/** So many missed times are written down; of a longer pause nobody wants each. */
const MOST_SKIPPED = 100;

/** Goes through the due times up to now, from the first that is due. */
export async function dueUpTo(timing: Clock, first: number, now: number): Promise<Due> {
  const skipped: number[] = [];
  let fires: number | undefined;
  let at: number | undefined = first;
  while (at !== undefined && at <= now) {
    if (now - at < LEAST_GAP_MS) fires = at;
    else skipped.push(at);
    at =
      skipped.length < MOST_SKIPPED
        ? (await firingsAfter(timing, at, 1))[0]
        : await firstAfter(timing, at, Math.max(at, now - LEAST_GAP_MS));
  }
  return { skipped, fires, next: at ?? null };
}

/** The first firing after a time, in the rhythm that another firing had. */
async function firstAfter(timing: Clock, fired: number, after: number): Promise<number | undefined> {
  if (timing.kind === 'cron') return (await firingsAfter(timing, after, 1))[0];
  const stepMs = timing.minutes * MINUTE_MS;
  return fired + (Math.floor((after - fired) / stepMs) + 1) * stepMs;
}
