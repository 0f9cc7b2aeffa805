/** The demo as a script: what is done when, in the order of time, by calls of the services. */
import type { Chance } from './chance.ts';
import { CHANGELOG } from './data/changelog.ts';
import type { PostDates } from './dates.ts';
import { DAY_MS, datePosts, SPAN_DAYS } from './dates.ts';
import type { Person } from './people.ts';
import { isTeamKey, team, visitors } from './people.ts';
import type { DemoPost } from './post-text.ts';
import { scriptPost } from './script-post.ts';
import type { Deed } from './stage.ts';
import { requireId } from './stage.ts';

/** Writes the script: everybody joins before they first do something. */
export function writeScript(posts: readonly DemoPost[], now: number, chance: Chance): Deed[] {
  const dates = datePosts(posts, now, chance);
  const deeds = [
    ...posts.flatMap((post) => scriptPost({ post, dates: requireDates(dates, post) }, now, chance)),
    ...CHANGELOG.map((entry) => scriptEntry(entry, now)),
  ];
  const firstAt = new Map<Person, number>();
  for (const { by, at } of deeds) firstAt.set(by, Math.min(at, firstAt.get(by) ?? at));
  const joinings = [...team, ...visitors].map((person): Deed => {
    const acts = firstAt.get(person) ?? now - chance.between(5, SPAN_DAYS) * DAY_MS;
    const at = isTeamKey(person) ? now - (SPAN_DAYS + 20) * DAY_MS : acts - chance.between(1, 9) * 60_000;
    return { at, by: person, run: ({ cast }) => cast.join(person) };
  });
  return [...joinings, ...deeds].toSorted((left, right) => left.at - right.at);
}

function requireDates(dates: ReadonlyMap<string, PostDates>, { title }: DemoPost): PostDates {
  const found = dates.get(title);
  if (found === undefined) throw new Error(`The post "${title}" has no dates.`);
  return found;
}

function scriptEntry(entry: (typeof CHANGELOG)[number], now: number): Deed {
  const { title, content, daysAgo, posts, labels } = entry;
  const isPublished = daysAgo !== null && daysAgo > 0;
  // What is not out yet was written yesterday.
  const at = now - (isPublished ? daysAgo : 1) * DAY_MS;
  const publishedAt = daysAgo === null ? null : new Date(now - daysAgo * DAY_MS).toISOString();
  return {
    at,
    by: team[0] ?? 'Maya',
    run: ({ services, cast, posts: ids }) =>
      services.changelog.create(cast.actor(team[0] ?? 'Maya'), {
        title,
        content,
        publishedAt,
        labels: [...labels],
        linkedPostIds: posts.map((post) => requireId(ids, post)),
      }),
  };
}
