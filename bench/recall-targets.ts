/** Owns the targets of recalling: what P14 promises, and whether the figures keep it. */
import type { RecallFigures, RecallSpeed } from './recall.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

/** Judges both databases by words of mixed frequency, as P9 does; other kinds of queries are told beside it. */
export function judgeRecall(recall: RecallFigures | undefined): Verdict[] {
  const engines = [
    ['SQLite', recall?.sqlite],
    ['PostgreSQL', recall?.postgres],
  ] as const;
  return engines.map(([engine, speed]) =>
    ruled(
      {
        id: 'P14',
        what: `memory search over 100,000 memories p50, ${engine}`,
        limit: 10,
        better: 'under',
        unit: ' ms',
      },
      speed?.byKind['mixed']?.p50Ms,
      speed && noteOn(speed),
    ),
  );
}

function noteOn({ memories, byKind }: RecallSpeed): Note {
  const times = Object.entries(byKind).map(([kind, { p50Ms }]) => `${kind} ${p50Ms} ms`);
  return { text: `${memories} memories; ${times.join(', ')}`, isBroken: memories < 100_000 };
}
