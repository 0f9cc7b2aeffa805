/** Owns the faults of time for events: webhooks that are tried again, and schedules, while clocks are apart or set back. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestClock } from './clock.ts';
import { createClock, HEARD_MS } from './clock.ts';
import type { FaultBed } from './fault-bed.ts';
import { EVENT_TYPE, REFUSED_ONCE, startFaultBed } from './fault-bed.ts';
import type { Asked } from './fault-client.ts';
import { rest } from './fault-client.ts';
import { until } from './fleet.ts';
import type { ClockOptions } from './set-clocks.ts';

/** Events that did not come as they should, by their subjects. */
export interface EventClockReport {
  /** Not within the time in which a clock that is wrong would keep them. */
  readonly late: readonly string[];
  readonly early: readonly string[];
  /** More often than they were refused, and once. */
  readonly double: readonly string[];
}

const HOUR_MS = 60 * 60_000;
/** Shorter than the clocks are apart, and longer than anything takes that is not late. */
const LATE_MS = 20_000;
/** The first wait of a webhook is five seconds; what is less than that comes of measuring. */
const FIRST_WAIT_MS = 4_500;
const SCHEDULED_IN_MS = 6_000;
const EVENTS = 4;

/** Two servers on one database, the first of which is ahead; it is told of the events, so it tells the webhook. */
export async function eventsApart(options: ClockOptions, aheadMs: number): Promise<EventClockReport> {
  const clocks = [aheadMs, 0].map((shiftMs, index) => {
    const clock = clockIn(options, `event-clock-${index}`);
    clock.set(shiftMs);
    return clock;
  });
  await using bed = await startFaultBed({
    ...options,
    replicas: clocks.length,
    envOf: (index) => clocks[index]?.env ?? {},
  });
  const { url = '' } = bed.fleet.servers[0] ?? {};
  const sent = await publish({ url, key: bed.door.key });
  // Awaited: the bed is gone with this function.
  return await report(bed, sent);
}

/** One server whose clock is set back an hour between the first attempts and the second ones. */
export async function eventsSetBack(options: ClockOptions): Promise<EventClockReport> {
  const clock = clockIn(options, 'event-clock');
  await using bed = await startFaultBed({ ...options, replicas: 1, envOf: () => clock.env });
  const sent = await publish(bed.door);
  await until('all were tried', () => sent.refused.every((subject) => bed.attempts.has(subject)), LATE_MS);
  clock.set(-HOUR_MS);
  await delay(HEARD_MS);
  return await report(bed, sent);
}

interface Sent {
  readonly refused: readonly string[];
  readonly scheduled: string;
  /** Before this moment it is too early for the schedule. */
  readonly notBeforeMs: number;
}

async function publish(to: Asked): Promise<Sent> {
  const refused = Array.from({ length: EVENTS }, () => `${REFUSED_ONCE}${randomUUID()}`);
  const scheduled = `scheduled ${randomUUID()}`;
  const deliverAt = new Date(Date.now() + SCHEDULED_IN_MS).toISOString();
  const notBeforeMs = performance.now() + SCHEDULED_IN_MS - 500;
  for (const event of [{ subject: scheduled, deliverAt }, ...refused.map((subject) => ({ subject }))]) {
    const { status, text } = await rest(to, 'POST', '/api/events', { type: EVENT_TYPE, ...event });
    if (status >= 300) throw new Error(`The event was answered with ${status}: ${text}`);
  }
  return { refused, scheduled, notBeforeMs };
}

async function report(bed: FaultBed, { refused, scheduled, notBeforeMs }: Sent): Promise<EventClockReport> {
  const all = [scheduled, ...refused];
  const isThere = () => all.every((subject) => bed.arrived.has(subject));
  // What is not there by then is in the report.
  await until('every event has come', isThere, SCHEDULED_IN_MS + LATE_MS).catch(() => undefined);
  const gapOf = ([first = 0, second = first]: readonly number[]) => second - first;
  const attempts = (subject: string) => bed.attempts.get(subject) ?? [];
  return {
    late: all.filter((subject) => !bed.arrived.has(subject)),
    early: [
      ...refused.filter(
        (subject) => attempts(subject).length > 1 && gapOf(attempts(subject)) < FIRST_WAIT_MS,
      ),
      ...[scheduled].filter((subject) => (attempts(subject)[0] ?? Infinity) < notBeforeMs),
    ],
    double: all.filter((subject) => attempts(subject).length > (subject === scheduled ? 1 : 2)),
  };
}

function clockIn({ dataDir, library }: ClockOptions, name: string): TestClock {
  return createClock(join(dataDir, name), library);
}
