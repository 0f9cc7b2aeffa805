/** What happens to one post: made, triaged, voted for, talked about, answered, merged. */
import { fromIdentityId } from '../ids.ts';
import { EMOJIS } from '../shapes/posts.ts';
import type { Chance } from './chance.ts';
import type { StatusStep } from './dates.ts';
import { DAY_MS } from './dates.ts';
import type { Person } from './people.ts';
import { team, visitors } from './people.ts';
import type { DemoPost } from './post-text.ts';
import type { DatedPost, Deed, Stage } from './stage.ts';
import { requireId } from './stage.ts';
import type { Speech } from './talk.ts';
import { talkAbout } from './talk.ts';

interface Life extends DatedPost {
  readonly author: Person;
  readonly now: number;
  readonly chance: Chance;
}

/** Everything about a post. */
export function scriptPost({ post, dates }: DatedPost, now: number, chance: Chance): Deed[] {
  const isInternal = post.board === 'internal';
  const author = isInternal ? chance.one(team) : (chance.some(visitors, 1)[0] ?? '');
  const life: Life = { post, dates, author, now, chance };
  return [
    making(life),
    ...triage(life),
    ...voting(life),
    ...talking(life),
    ...(dates.mergedAt === undefined ? [] : [merging(life, dates.mergedAt)]),
  ];
}

function making({ post, dates, author }: Life): Deed {
  const { title, content } = post;
  return {
    at: dates.createdAt,
    by: author,
    async run({ services, cast, boards, posts }) {
      const made = await services.posts.create(cast.actor(author), {
        boardId: boards[post.board],
        title,
        content,
      });
      posts.set(title, made.id);
    },
  };
}

/** Tags first, then one status after the other; the last one comes with the official response. */
function triage(life: Life): Deed[] {
  const { post, dates, chance } = life;
  const owner = post.response?.by ?? chance.one(team);
  const tagger = chance.roll() < 0.3 ? 'agent' : 'Priya';
  const tagging: Deed = {
    at: dates.triagedAt,
    by: 'Priya',
    run: ({ services, cast, tags, posts }) =>
      services.posts.update(cast.actor(tagger), requireId(posts, post.title), {
        tagIds: post.tags.map((tag) => tags[tag]),
      }),
  };
  const moves = dates.steps.map((step, index) => moving(life, step, { owner, index }));
  return [...(post.tags.length > 0 ? [tagging] : []), ...moves];
}

function moving(
  { post, dates }: Life,
  { at, status }: StatusStep,
  { owner, index }: { owner: Person; index: number },
): Deed {
  const isLast = index === dates.steps.length - 1;
  return {
    at,
    by: owner,
    async run(stage) {
      const { services, cast, statuses, posts } = stage;
      const actor = cast.actor(owner);
      const id = requireId(posts, post.title);
      await services.posts.update(actor, id, {
        statusId: statuses.get(status),
        ...(index === 0 && { ownerMemberId: fromIdentityId('member', actor.memberId) }),
        ...(isLast && post.response !== undefined && { officialResponse: post.response.content }),
      });
      const roadmapId = roadmapOf(post, stage);
      if (status === 'planned' && roadmapId !== undefined)
        await services.roadmaps.addPost(actor, roadmapId, id);
    },
  };
}

function roadmapOf({ board, tags }: DemoPost, { roadmaps: [main, mobile] }: Stage): string | undefined {
  if (board === 'internal' || board === 'bugs') return undefined;
  return tags.includes('mobile') ? mobile : main;
}

// The team notes a wish that it heard elsewhere for about one vote in fifty.
const PROXY_SHARE = 0.02;
const SOURCES = ['support call', 'e-mail', 'trade fair', 'interview'];

/** Many votes soon, then fewer and fewer; the author is the first. */
function voting({ post, dates, author, now, chance }: Life): Deed[] {
  const people: readonly Person[] = post.board === 'internal' ? team : visitors;
  const others = chance.some(
    people.filter((person) => person !== author),
    post.votes - 1,
  );
  const endAt = dates.mergedAt ?? now;
  return [author, ...others].map((by, index): Deed => {
    const share = index === 0 ? 0 : chance.roll() ** 1.8;
    const at = dates.createdAt + 1 + (endAt - dates.createdAt - 2) * share;
    const isProxy = index > 0 && chance.roll() < PROXY_SHARE;
    const source = chance.one(SOURCES);
    return {
      at,
      by,
      run({ services, cast, posts }) {
        const id = requireId(posts, post.title);
        const actor = cast.actor(by);
        if (!isProxy) return services.votes.set(actor, id, true);
        const memberId = fromIdentityId('member', actor.memberId);
        return services.votes.proxy(cast.actor('Priya'), id, { memberId, voted: true, source });
      },
    };
  });
}

function talking(life: Life): Deed[] {
  return talkAbout(life).flatMap((speech) => [saying(life, speech), ...reacting(life, speech)]);
}

function saying({ post }: Life, { comment, parent, by, at }: Speech): Deed {
  return {
    at,
    by: by === 'agent' ? 'Priya' : by,
    async run({ services, cast, posts, comments }) {
      const id = requireId(posts, post.title);
      const made = await services.comments.create(cast.actor(by), id, {
        content: comment.content,
        isPrivate: comment.isPrivate,
        ...(parent !== undefined && { parentId: requireId(comments, parent) }),
      });
      comments.set(comment, made.id);
      if (comment.isPinned) await services.comments.pin(cast.actor(by), id, made.id);
    },
  };
}

/** Some comments please some people. */
function reacting({ post, dates, chance, now }: Life, { comment, by, at }: Speech): Deed[] {
  if (comment.isPrivate || chance.roll() > 0.45) return [];
  const people: readonly Person[] = post.board === 'internal' ? team : [...visitors.slice(0, 60), ...team];
  const endAt = Math.min(now, dates.mergedAt ?? now, at + 12 * DAY_MS);
  const count = 1 + Math.floor(chance.roll() ** 2 * 6);
  const [usual = EMOJIS[0], other = EMOJIS[1]] = chance.some(EMOJIS, 2);
  return chance
    .some(
      people.filter((person) => person !== by),
      count,
    )
    .map((person) => {
      const emoji = chance.roll() < 0.75 ? usual : other;
      return {
        at: chance.between(at + 1, Math.max(at + 2, endAt)),
        by: person,
        run: ({ services, cast, comments }) =>
          services.comments.react(cast.actor(person), requireId(comments, comment), emoji, true),
      };
    });
}

function merging({ post }: Life, mergedAt: number): Deed {
  return {
    at: mergedAt,
    by: 'Priya',
    run: ({ services, cast, posts }) =>
      services.merges.merge(cast.actor('Priya'), {
        duplicatePostId: requireId(posts, post.title),
        canonicalPostId: requireId(posts, post.mergedInto ?? ''),
      }),
  };
}
