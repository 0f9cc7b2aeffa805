/** Owns the printed table of P9. */
import type { FeedbackFigures, FeedbackSpeed, QueryTimes } from './feedback.ts';

/** The titles of its columns. */
export const FEEDBACK_HEADER = [
  'feedback',
  'search p50 ms',
  'p95 ms',
  'list p50 ms',
  'p95 ms',
  'deep page p50 ms',
  'p95 ms',
  'votes per s',
  'counts wrong',
];

/** Two rows per database: the services themselves, and the same over REST. */
export function feedbackRows({ sqlite, postgres }: FeedbackFigures): string[][] {
  return [...rowsOf('SQLite', sqlite), ...(postgres ? rowsOf('PostgreSQL', postgres) : [])];
}

function rowsOf(name: string, { search, list, deep, votes, http }: FeedbackSpeed): string[][] {
  const times = (all: QueryTimes[]) => all.flatMap(({ p50Ms, p95Ms }) => [String(p50Ms), String(p95Ms)]);
  return [
    [name, ...times([search, list, deep]), String(votes.perSecond), String(votes.wrong)],
    [`${name} over REST`, ...times([http.search, http.list]), '-', '-', String(http.votesPerSecond), '-'],
  ];
}
