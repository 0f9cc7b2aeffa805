/** Cron expressions: five or six fields in a time zone, and the next instant that they name. */
import { ToolError } from '@parley/kit';
import { Cron } from 'croner';

const CRON_LENGTH = 100;
const ZONE_LENGTH = 64;

/** Refuses an expression or a zone that nobody could keep. */
export function checkCron(cron: string, timezone: string): void {
  const fields = cron.trim().split(/\s+/).length;
  if (cron.length > CRON_LENGTH || (fields !== 5 && fields !== 6))
    throw new ToolError(
      'invalid',
      'cron: write five or six fields, such as "0 9 * * 1-5" or "*/10 * * * * *".',
    );
  if (!isZone(timezone))
    throw new ToolError('invalid', 'timezone: write a time zone such as UTC or Europe/Berlin.');
  try {
    parse(cron, timezone);
  } catch {
    throw new ToolError('invalid', 'cron: this cannot be read. Write it like "0 9 * * 1-5".');
  }
}

/** The first instant after a time; undefined when there is none. */
export function nextInstant(cron: string, timezone: string, after: number): number | undefined {
  return parse(cron, timezone).nextRun(new Date(after))?.getTime();
}

/** The first instants after a time, as many as there are up to a number. */
export function nextInstants(cron: string, timezone: string, after: number, most: number): number[] {
  return parse(cron, timezone)
    .nextRuns(most, new Date(after))
    .map((date) => date.getTime());
}

function parse(cron: string, timezone: string): Cron {
  return new Cron(cron.trim(), { timezone, paused: true });
}

/** True for a time zone that clocks are kept by. */
export function isZone(timezone: string): boolean {
  if (timezone.length < 1 || timezone.length > ZONE_LENGTH) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
