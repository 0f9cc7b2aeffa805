/** Owns the targets of feedback: what P9 promises, and whether the figures keep it. */
import type { FeedbackFigures, FeedbackSpeed } from './feedback.ts';
import { ruled } from './verdict.ts';
import type { Note, Rule, Verdict } from './verdict.ts';

type Row = Pick<Rule, 'what' | 'limit'> & { pick: (speed: FeedbackSpeed) => number };

const latencies: readonly Row[] = [
  { what: 'search over 100,000 posts p50', limit: 20, pick: ({ search }) => search.p50Ms },
  { what: 'search over 100,000 posts p95', limit: 50, pick: ({ search }) => search.p95Ms },
  {
    what: 'page of 100,000 posts p50',
    limit: 5,
    pick: ({ list, deep }) => Math.max(list.p50Ms, deep.p50Ms),
  },
  {
    what: 'page of 100,000 posts p95',
    limit: 30,
    pick: ({ list, deep }) => Math.max(list.p95Ms, deep.p95Ms),
  },
];

/** Judges both databases on reading, and SQLite on voting. */
export function judgeFeedback(feedback: FeedbackFigures | undefined): Verdict[] {
  const engines = [
    ['SQLite', feedback?.sqlite],
    ['PostgreSQL', feedback?.postgres],
  ] as const;
  return [
    ...latencies.flatMap(({ what, limit, pick }) =>
      engines.map(([engine, speed]) =>
        ruled(
          { id: 'P9', what: `${what}, ${engine}`, limit, better: 'under', unit: ' ms' },
          speed && pick(speed),
          speed && readingNote(what, speed),
        ),
      ),
    ),
    ruled(
      { id: 'P9', what: 'votes per second, SQLite', limit: 1000, better: 'higher', unit: ' per s' },
      feedback?.sqlite.votes.perSecond,
      feedback && votesNote(feedback),
    ),
  ];
}

function readingNote(what: string, speed: FeedbackSpeed): Note {
  const text = what.startsWith('search')
    ? `CPU ${speed.search.cpuMs} ms; over REST p50 ${speed.http.search.p50Ms}, p95 ${speed.http.search.p95Ms} ms; ${speed.listed} posts listed`
    : `CPU ${speed.list.cpuMs} ms; over REST p50 ${speed.http.list.p50Ms}, p95 ${speed.http.list.p95Ms} ms; pages down to post ${speed.deep.deepest}`;
  return { text, isBroken: false };
}

function votesNote({ sqlite, postgres }: FeedbackFigures): Note {
  const told = ({ votes, http }: FeedbackSpeed) =>
    `${votes.wrong} counts wrong, ${http.votesPerSecond} over REST`;
  const beside = postgres ? `; PostgreSQL ${postgres.votes.perSecond} per s, ${told(postgres)}` : '';
  const isBroken = sqlite.votes.wrong > 0 || (postgres?.votes.wrong ?? 0) > 0;
  return { text: `${told(sqlite)}${beside}`, isBroken };
}
