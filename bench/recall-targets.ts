/** Owns the targets of recalling: what P14 promises, and whether the figures keep it. */
import type { RecallFigures, RecallSpeed } from './recall.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

/** Queries that no index helps: every memory of the agent is looked at. They are told, not judged. */
const SCANS = new Set(['part']);

/** Judges both databases by the kind of query that takes longest among those that have an index. */
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
      speed && slowest(speed),
      speed && noteOn(speed),
    ),
  );
}

function slowest({ byKind }: RecallSpeed): number {
  const judged = Object.entries(byKind).filter(([kind]) => !SCANS.has(kind));
  return Math.max(...judged.map(([, { p50Ms }]) => p50Ms));
}

function noteOn({ memories, byKind }: RecallSpeed): Note {
  const times = Object.entries(byKind).map(
    ([kind, { p50Ms }]) => `${kind}${SCANS.has(kind) ? ' (scan)' : ''} ${p50Ms} ms`,
  );
  return { text: `${memories} memories; ${times.join(', ')}`, isBroken: memories < 100_000 };
}
