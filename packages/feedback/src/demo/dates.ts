/** When things happened to a post: made, triaged, moved through its statuses, talked about. */
import type { Chance } from './chance.ts';
import { CHANGELOG } from './data/changelog.ts';
import type { DemoPost, StatusSlug } from './post-text.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = DAY_MS / 24;

/** How far back the demo reaches. */
export const SPAN_DAYS = 540;

/** A move to another status. */
export interface StatusStep {
  readonly at: number;
  readonly status: StatusSlug;
}

/** The life of a post; times are milliseconds since the epoch. */
export interface PostDates {
  readonly createdAt: number;
  readonly triagedAt: number;
  readonly steps: readonly StatusStep[];
  /** When it was merged away; nothing happens to it after that. */
  readonly mergedAt?: number;
}

// The statuses that a post passes on its way; open is where all begin.
const WAYS: Readonly<Record<StatusSlug, readonly StatusSlug[]>> = {
  open: [],
  under_review: ['under_review'],
  planned: ['under_review', 'planned'],
  in_progress: ['under_review', 'planned', 'in_progress'],
  complete: ['under_review', 'planned', 'in_progress', 'complete'],
  closed: ['under_review', 'closed'],
};

// Bugs are not planned, they are repaired.
const BUG_WAYS: typeof WAYS = {
  ...WAYS,
  in_progress: ['in_progress'],
  complete: ['in_progress', 'complete'],
};

// How old posts of a status are, in days.
const AGES: Readonly<Record<StatusSlug, readonly [number, number]>> = {
  open: [0.2, 400],
  under_review: [12, 380],
  planned: [40, 470],
  in_progress: [60, 500],
  complete: [45, SPAN_DAYS],
  closed: [50, 480],
};

/** The dates of all posts, by title. */
export function datePosts(posts: readonly DemoPost[], now: number, chance: Chance): Map<string, PostDates> {
  const dates = new Map<string, PostDates>();
  const byTitle = new Map(posts.map((post) => [post.title, post]));
  const dated = (title: string): PostDates => {
    const found = dates.get(title);
    if (found !== undefined) return found;
    const post = byTitle.get(title);
    if (post === undefined) throw new Error(`The demo has no post "${title}".`);
    const made = datePost(post, { now, chance, createdAt: createdAt(post) });
    dates.set(title, made);
    return made;
  };
  /** Posts that come from others are younger than what they come from. */
  const originOf = ({ mergedInto, follows }: DemoPost): number | undefined => {
    if (mergedInto !== undefined) return dated(mergedInto).createdAt;
    return follows === undefined ? undefined : completedAt(dated(follows));
  };
  const createdAt = (post: DemoPost): number => {
    const originAt = originOf(post);
    if (originAt === undefined) return now - ageOf(post, chance) * DAY_MS;
    return originAt + (now - originAt) * chance.between(0.05, 0.5);
  };
  for (const { title } of posts) dated(title);
  return dates;
}

/** When a post was completed; undefined while it is not. */
export function completedAt({ steps }: PostDates): number | undefined {
  return steps.find(({ status }) => status === 'complete')?.at;
}

interface Known {
  readonly createdAt: number;
  readonly now: number;
  readonly chance: Chance;
}

function datePost(post: DemoPost, known: Known): PostDates {
  const { createdAt, now, chance } = known;
  if (post.mergedInto !== undefined) {
    const mergedAt = Math.min(createdAt + chance.between(2, 9) * DAY_MS, now - HOUR_MS);
    return { createdAt, triagedAt: (createdAt + mergedAt) / 2, steps: [], mergedAt };
  }
  const endAt = endOf(post, known);
  const triagedAt = Math.min(createdAt + chance.between(1, 40) * HOUR_MS, (createdAt + endAt) / 2);
  const way = (post.board === 'bugs' ? BUG_WAYS : WAYS)[post.status];
  const steps = way.map((status, index) => ({
    status,
    at: triagedAt + ((endAt - triagedAt) * (index + 1)) / way.length,
  }));
  return { createdAt, triagedAt, steps };
}

/** How long ago a published entry of the changelog told of it. */
function announcedDays({ title }: DemoPost): number | undefined {
  const entry = CHANGELOG.find(
    ({ daysAgo, posts }) => daysAgo !== null && daysAgo > 0 && posts.includes(title),
  );
  return entry?.daysAgo ?? undefined;
}

function ageOf(post: DemoPost, chance: Chance): number {
  const announced = announcedDays(post);
  if (announced !== undefined) return Math.min(SPAN_DAYS, announced + chance.between(25, 150));
  const [young, old] = AGES[post.status];
  // Most of what is open is young; bugs are dealt with sooner than wishes.
  const isBug = post.board === 'bugs';
  const lean = post.status === 'open' ? 2.6 : isBug ? 1.7 : 1.1;
  return young + (old - young) * chance.roll() ** lean - (isBug ? young * 0.85 : 0);
}

/** When it came to the status that it has now. */
function endOf(post: DemoPost, { createdAt, now, chance }: Known): number {
  const announced = announcedDays(post);
  if (announced !== undefined) return now - announced * DAY_MS;
  const ageMs = now - createdAt;
  if (post.board === 'bugs' && post.status === 'complete')
    return createdAt + Math.min(chance.between(1.5, 25) * DAY_MS, ageMs * 0.7);
  return createdAt + ageMs * chance.between(0.35, 0.85);
}

/** When the talk about a post ends: it is completed, merged, or nobody comes by any more. */
export function talkEndsAt(dates: PostDates, now: number): number {
  const { createdAt, mergedAt = now } = dates;
  return Math.min(mergedAt, completedAt(dates) ?? now, createdAt + 60 * DAY_MS);
}
