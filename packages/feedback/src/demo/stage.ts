/** What the script of the demo is played on, and what it consists of. */
import type { FeedbackServices } from '../services/index.ts';
import type { PostDates } from './dates.ts';
import type { Cast, Person } from './people.ts';
import type { BoardKey, DemoComment, DemoPost, TagKey } from './post-text.ts';

/** Where the script is played: the services, and the ids of what exists so far. */
export interface Stage {
  readonly services: FeedbackServices;
  readonly cast: Cast;
  readonly boards: Readonly<Record<BoardKey, string>>;
  readonly tags: Readonly<Record<TagKey, string>>;
  /** Statuses by slug; those that the team has removed are left out. */
  readonly statuses: ReadonlyMap<string, string>;
  readonly roadmaps: readonly [main: string, mobile: string];
  /** Posts by title. */
  readonly posts: Map<string, string>;
  readonly comments: Map<DemoComment, string>;
}

/** Something that somebody does at a time. */
export interface Deed {
  readonly at: number;
  readonly by: Person;
  run(stage: Stage): Promise<unknown>;
}

/** A post with its dates. */
export interface DatedPost {
  readonly post: DemoPost;
  readonly dates: PostDates;
}

/** The id of what the script has made before. */
export function requireId<Key>(ids: ReadonlyMap<Key, string>, key: Key): string {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`The demo needs ${JSON.stringify(key)} before it exists.`);
  return id;
}
