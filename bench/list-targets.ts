/** Owns the targets of lists: what P13 promises, and whether the figures keep it. */
import type { ListFigures, ListSpeed } from './lists.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

/** Judges both databases by the filter that takes longest. */
export function judgeLists(lists: ListFigures | undefined): Verdict[] {
  const engines = [
    ['SQLite', lists?.sqlite],
    ['PostgreSQL', lists?.postgres],
  ] as const;
  return engines.map(([engine, speed]) =>
    ruled(
      {
        id: 'P13',
        what: `list with a filter over 100,000 connections p50, ${engine}`,
        limit: 10,
        better: 'under',
        unit: ' ms',
      },
      speed && slowest(speed),
      speed && noteOn(speed),
    ),
  );
}

function slowest({ byFilter }: ListSpeed): number {
  return Math.max(...Object.values(byFilter).map(({ p50Ms }) => p50Ms));
}

function noteOn({ rows, byFilter }: ListSpeed): Note {
  const times = Object.entries(byFilter).map(([kind, { p50Ms }]) => `${kind} ${p50Ms} ms`);
  return { text: `${rows} rows; ${times.join(', ')}`, isBroken: rows < 100_000 };
}
