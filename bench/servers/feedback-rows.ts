/** Owns the bench's posts: written straight into the tables, whose triggers keep the index and the counts. */
import type { IdentityTables } from '@parley/identity';
import { typeId } from '@parley/kit';
import type { Store } from '@parley/store';
import type { FeedbackTables } from '../../packages/feedback/src/schema.ts';
import { plainWords } from '../../packages/feedback/src/search/words.ts';
import { textOf } from './feedback-text.ts';
import type { Vocabulary } from './feedback-text.ts';

/** What the posts lie on. */
export interface Ground {
  organizationId: string;
  boardIds: string[];
  statusIds: string[];
  tagIds: string[];
  people: { memberId: string; userId: string }[];
}

const BATCH = 500;
const SPAN_MS = 3 * 365 * 24 * 60 * 60_000;

/** Puts people into the organization who post and vote. */
export async function fillPeople(store: Store, organizationId: string, count: number) {
  const people = Array.from({ length: count }, () => ({ memberId: typeId('mem'), userId: typeId('user') }));
  const created_at = Date.now();
  for (let made = 0; made < count; made += BATCH) {
    const some = people.slice(made, made + BATCH);
    await store.transaction(async (tx) => {
      const db = tx.db<IdentityTables>();
      const users = some.map(({ userId: id }) => ({
        id,
        name: `Person ${id.slice(-6)}`,
        email: null,
        image: null,
        email_verified: 0 as const,
        created_at,
      }));
      await db.insertInto('users').values(users).execute();
      const organization_id = organizationId;
      const members = some.map(({ memberId: id, userId: user_id }) => ({
        id,
        user_id,
        organization_id,
        created_at,
      }));
      await db.insertInto('members').values(members).execute();
      const roles = members.map(({ id: member_id }) => ({ member_id, organization_id, role: 'user' }));
      await db.insertInto('member_roles').values(roles).execute();
    });
  }
  return people;
}

/** Writes posts, the oldest first, with tags on some of them. */
export async function fillPosts(
  store: Store,
  ground: Ground,
  { count, words, random }: { count: number; words: Vocabulary; random: () => number },
): Promise<void> {
  const startMs = Date.now() - SPAN_MS;
  for (let made = 0; made < count; made += BATCH) {
    const size = Math.min(BATCH, count - made);
    const rows = Array.from({ length: size }, (_, index) =>
      postRow(ground, { createdAt: startMs + Math.floor(((made + index) / count) * SPAN_MS), words, random }),
    );
    const tags = rows.flatMap(({ id: post_id }) =>
      random() < 0.6
        ? []
        : [{ organization_id: ground.organizationId, post_id, tag_id: skewed(ground.tagIds, random) }],
    );
    await store.transaction(async (tx) => {
      const db = tx.db<FeedbackTables>();
      await db.insertInto('feedback_posts').values(rows).execute();
      await db.insertInto('feedback_post_tags').values(tags).execute();
    });
  }
}

function postRow(
  { organizationId, boardIds, statusIds, people }: Ground,
  { createdAt, words, random }: { createdAt: number; words: Vocabulary; random: () => number },
) {
  const { title, content } = textOf(words, random);
  const author = skewed(people, random);
  const lot = random();
  return {
    organization_id: organizationId,
    id: typeId('post', createdAt),
    board_id: skewed(boardIds, random),
    status_id: skewed(statusIds, random),
    title,
    content,
    content_json: null,
    author_member_id: author.memberId,
    author_user_id: author.userId,
    agent_name: null,
    owner_member_id: null,
    // a long tail: half of the posts have at most two votes, one in a thousand has hundreds
    vote_count: Math.min(2000, Math.floor(1 / (1 - random()) ** 0.85) - 1),
    comment_count: Math.floor(random() * random() * 8),
    vote_threshold: 10_000,
    official_response: null,
    official_response_user_id: null,
    official_response_at: null,
    pinned_comment_id: null,
    merged_into_id: null,
    moderation: lot < 0.97 ? ('published' as const) : ('spam' as const),
    search_title: plainWords(title),
    search_content: plainWords(content),
    created_at: createdAt,
    updated_at: createdAt,
    deleted_at: lot < 0.03 ? createdAt : null,
  };
}

/** One of some, the first ones more often. */
export function skewed<T>(all: readonly T[], random: () => number): T {
  const one = all[Math.floor(random() ** 2 * all.length)];
  if (one === undefined) throw new Error('There is nothing to choose from.');
  return one;
}
