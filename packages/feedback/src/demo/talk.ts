/** Who says what about a post, and when. */
import type { Chance } from './chance.ts';
import type { PostDates } from './dates.ts';
import { completedAt, DAY_MS, talkEndsAt } from './dates.ts';
import type { Person } from './people.ts';
import { visitors } from './people.ts';
import type { DemoComment, DemoPost } from './post-text.ts';

/** A comment with its speaker, its time, and what it answers. */
export interface Speech {
  readonly comment: DemoComment;
  readonly parent: DemoComment | undefined;
  readonly by: Person;
  readonly at: number;
}

interface Talk {
  readonly post: DemoPost;
  readonly dates: PostDates;
  readonly author: Person;
  readonly now: number;
  readonly chance: Chance;
}

const MINUTE_MS = 60_000;

/** The comments of a post in their order. */
export function talkAbout(talk: Talk): Speech[] {
  const { comments } = talk.post;
  const roots = rootTimes(talk);
  const said: Speech[] = [];
  for (const [index, comment] of comments.entries()) {
    const parent = parentIndex(comments, index);
    const grandparent = parent === undefined ? undefined : parentIndex(comments, parent);
    const answered = parent === undefined ? undefined : said[parent];
    const by = speakerOf(talk, comment, {
      answered,
      before: grandparent === undefined ? undefined : said[grandparent],
      said,
    });
    const at =
      answered === undefined
        ? (roots.shift() ?? talk.now)
        : replyTime(talk, comment, said.at(-1) ?? answered);
    said.push({ comment, parent: answered?.comment, by, at });
  }
  return said;
}

/** Most come soon after the post; some only after it was completed. */
function rootTimes({ post, dates, now, chance }: Talk): number[] {
  const roots = post.comments.filter(({ depth }) => depth === 0);
  const { createdAt } = dates;
  const endAt = talkEndsAt(dates, now);
  const early = roots
    .map(() => chance.roll() ** 1.6)
    .toSorted((left, right) => left - right)
    .map((share) => createdAt + (endAt - createdAt) * (0.01 + 0.9 * share));
  return roots.map(({ isLater }, index) =>
    isLater ? laterTime({ dates, now, chance }) : (early[index] ?? endAt),
  );
}

function laterTime({ dates, now, chance }: Pick<Talk, 'dates' | 'now' | 'chance'>): number {
  const doneAt = completedAt(dates) ?? talkEndsAt(dates, now);
  return Math.min(doneAt + chance.between(0.1, 20) * DAY_MS, now - 20 * MINUTE_MS);
}

/** Within hours, and never before what was said last. */
function replyTime({ dates, now, chance }: Talk, { isLater }: DemoComment, last: Speech): number {
  const endAt = isLater ? now : Math.max(talkEndsAt(dates, now), last.at);
  const pauseMs = chance.between(8, 40 * 60) * chance.roll() * MINUTE_MS;
  return Math.min(last.at + MINUTE_MS + pauseMs, Math.max(last.at + 1000, endAt - MINUTE_MS));
}

interface Heard {
  readonly answered: Speech | undefined;
  readonly before: Speech | undefined;
  readonly said: readonly Speech[];
}

/** Whoever was answered often answers back; otherwise it is somebody new. */
function speakerOf({ author, chance }: Talk, { by }: DemoComment, { answered, before, said }: Heard): Person {
  if (by === 'me') return author;
  if (by !== 'visitor') return by;
  const isBack = before !== undefined && before.by !== author && visitors.includes(before.by);
  if (isBack && chance.roll() < 0.6) return before.by;
  const known = new Set([author, answered?.by, ...said.map((speech) => speech.by)]);
  const [someone = author] = chance.some(
    visitors.filter((name) => !known.has(name)),
    1,
  );
  return someone;
}

function parentIndex(comments: readonly DemoComment[], index: number): number | undefined {
  const depth = comments[index]?.depth ?? 0;
  if (depth === 0) return undefined;
  const found = comments.slice(0, index).findLastIndex((comment) => comment.depth === depth - 1);
  return found === -1 ? undefined : found;
}
