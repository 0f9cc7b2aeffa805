/** Owns the targets of events: what P11 promises, and whether the figures keep it. */
import type { EventFigures, EventSpeed } from './events.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

/** Judges events on SQLite; figures of PostgreSQL stand beside them in the notes. */
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
        ({ takenPerSecond }) => `delivered too ${takenPerSecond} per s`,
        ({ publishedPerSecond, takenPerSecond }) => `${publishedPerSecond} and ${takenPerSecond} per s`,
      ),
    ),
  ];
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
