/** Owns the targets of events: what P11 promises, and whether the figures keep it. */
import type { EventKillCount } from './event-kill.ts';
import type { EventFigures, EventSpeed } from './events.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

/** Judges events on SQLite, and how many PostgreSQL delivers; its other figures stand beside in the notes. */
export function judgeEvents(events: EventFigures | undefined): Verdict[] {
  return [
    ruled(
      { id: 'P11', what: 'publish to delivered p50, one process', limit: 20, better: 'under', unit: ' ms' },
      events?.sqlite.delivered.p50Ms,
      noteOn(
        events,
        ({ delivered }) => `p99 ${delivered.p99Ms} ms`,
        ({ delivered }) => `${delivered.p50Ms} ms`,
      ),
    ),
    ruled(
      {
        id: 'P11',
        what: 'events published per second, SQLite',
        limit: 2000,
        better: 'higher',
        unit: ' per s',
      },
      events?.sqlite.publishedPerSecond,
      noteOn(
        events,
        ({ takenPerSecond, hookedPerSecond }) =>
          `delivered too ${takenPerSecond} per s, to webhooks ${hookedPerSecond}`,
        ({ publishedPerSecond }) => `${publishedPerSecond} per s`,
      ),
    ),
    ruled(
      {
        id: 'P11',
        what: 'events published and delivered per second, PostgreSQL',
        limit: 2000,
        better: 'higher',
        unit: ' per s',
      },
      events?.postgres?.takenPerSecond,
      events?.postgres && {
        text: `to eight webhooks ${events.postgres.hookedPerSecond} per s`,
        isBroken: false,
      },
    ),
    ruled(
      {
        id: 'P11',
        what: 'deliveries lost of 10,000 events to failing receivers, a replica killed',
        limit: 0,
        better: 'lower',
        unit: ' deliveries',
      },
      events?.kill?.lost,
      events?.kill && noteOnKill(events.kill),
    ),
  ];
}

function noteOnKill(kill: EventKillCount): Note {
  const { published, requests, failures, repeated, unexplained, open, ticks, wrongTicks, silenceMs } = kill;
  const text = [
    `${published} published, ${failures} of ${requests} requests failed`,
    `${repeated} came twice, ${unexplained} of them without a lost lease`,
    `${open} left open`,
    `${ticks} firings of cron, ${wrongTicks} wrong`,
    `taken over after ${(silenceMs / 1000).toFixed(1)} s`,
  ].join('; ');
  return { text, isBroken: published < 10_000 || unexplained + open + wrongTicks > 0 };
}

function noteOn(
  events: EventFigures | undefined,
  more: (speed: EventSpeed) => string,
  beside: (speed: EventSpeed) => string,
): Note | undefined {
  if (!events) return undefined;
  const postgres = events.postgres ? `; PostgreSQL ${beside(events.postgres)}` : '';
  return { text: `${more(events.sqlite)}${postgres}`, isBroken: false };
}
