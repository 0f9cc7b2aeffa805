/** Properties of conversations: random votes, comments, deletions and merges against a plain model. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Actor } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { CommentNode } from '../../shapes/posts.ts';
import { ConversationModel } from '../../testing/conversation-model.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

const POSTS = 4;
const PEOPLE = 4;

const post = fc.nat({ max: POSTS - 1 });
const person = fc.nat({ max: PEOPLE - 1 });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('vote'),
      post,
      person,
      wanted: fc.constantFrom(true, false, null),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('comment'),
      post,
      person,
      parent: fc.option(fc.nat({ max: 1000 }), { freq: 3 }),
      isPrivate: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete'), comment: fc.nat({ max: 1000 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('merge'), post, into: post }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unmerge'), post }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** One run: fresh posts in the same organization, with the model beside them. */
class Run {
  readonly model = new ConversationModel(POSTS);
  readonly #place: TestFeedback;
  readonly #people: readonly Actor[];
  readonly #posts: readonly string[];
  /** The ids of the model's comments, by number. */
  readonly #comments: string[] = [];

  constructor(place: TestFeedback, people: readonly Actor[], posts: readonly string[]) {
    this.#place = place;
    this.#people = people;
    this.#posts = posts;
  }

  /** Does the same to both; the services must refuse exactly what the model refuses. */
  async apply(step: Step): Promise<void> {
    const isAllowed = this.#inModel(step);
    const outcome = await this.#inServices(step).then(
      () => true,
      (error: unknown) => {
        expect(['conflict', 'invalid', 'not_found']).toContain((error as { code?: string }).code);
        return false;
      },
    );
    expect([step, outcome]).toEqual([step, isAllowed]);
  }

  /** Numbers that mostly name a comment that is there and a post that is merged, so that much happens. */
  aimed(step: Step): Step {
    const pick = (number: number, from: readonly number[]) => from[number % (from.length + 1)];
    const comment = (number: number) => pick(number, this.model.comments()) ?? number % 20;
    if ('parent' in step) return { ...step, parent: step.parent === null ? null : comment(step.parent) };
    if ('comment' in step) return { ...step, comment: comment(step.comment) };
    return step.kind === 'unmerge'
      ? { ...step, post: pick(step.post, this.model.merged()) ?? step.post }
      : step;
  }

  #inModel(step: Step): boolean {
    if ('person' in step && 'wanted' in step) return this.model.vote(step.post, step.person, step.wanted);
    if ('isPrivate' in step) return this.model.comment(step.post, step.parent, step.isPrivate);
    if ('comment' in step) return this.model.delete(step.comment);
    return 'into' in step ? this.model.merge(step.post, step.into) : this.model.unmerge(step.post);
  }

  async #inServices(step: Step): Promise<unknown> {
    const { votes, comments, merges } = this.#place.services;
    const { member } = this.#place;
    if ('person' in step && 'wanted' in step) {
      const actor = this.#people[step.person]!;
      const id = this.#posts[step.post]!;
      return step.wanted === null ? votes.toggle(actor, id) : votes.set(actor, id, step.wanted);
    }
    if ('isPrivate' in step) {
      const made = await comments.create(this.#people[step.person]!, this.#posts[step.post]!, {
        content: 'Text',
        isPrivate: step.isPrivate,
        parentId: step.parent === null ? null : this.#commentId(step.parent),
      });
      return this.#comments.push(made.id);
    }
    if ('comment' in step) return comments.delete(member, this.#commentId(step.comment));
    const duplicatePostId = this.#posts[step.post]!;
    if (!('into' in step)) return merges.unmerge(member, duplicatePostId);
    return merges.merge(member, { duplicatePostId, canonicalPostId: this.#posts[step.into]! });
  }

  #commentId(index: number): string {
    return this.#comments[index] ?? 'comment_00000000000000000000000000';
  }

  /** What the services show of every post, in the words of the model. */
  async shown(): Promise<unknown[]> {
    const { services, member, store } = this.#place;
    const numberOf = (id: string | null) => (id === null ? null : this.#comments.indexOf(id));
    return Promise.all(
      this.#posts.map(async (id) => {
        const { voteCount, commentCount } = await services.posts.get(member, id);
        const votes = await store
          .db<FeedbackTables>()
          .selectFrom('feedback_votes')
          .select('member_id')
          .where('post_id', '=', id)
          .execute();
        const voters = votes.map(({ member_id }) =>
          this.#people.findIndex(({ memberId }) => memberId === member_id),
        );
        const thread: unknown[] = [];
        const stack = await services.comments.tree(member, id);
        for (let node: CommentNode | undefined; (node = stack.pop());) {
          const isDeleted = node.deletedAt !== null;
          const onPost = this.#posts.indexOf(node.postId);
          thread.push([numberOf(node.id), numberOf(node.parentId), onPost, node.isPrivate, isDeleted]);
          stack.push(...node.replies);
        }
        return {
          voteCount,
          commentCount,
          voters: voters.toSorted((a, b) => a - b),
          thread: thread.toSorted(byNumber),
        };
      }),
    );
  }

  /** The rows themselves, less the moment of the last change. */
  async rows(): Promise<unknown> {
    const db = this.#place.store.db<FeedbackTables>();
    const posts = await db
      .selectFrom('feedback_posts')
      .selectAll()
      .where('id', 'in', this.#posts)
      .orderBy('id')
      .execute();
    const votes = await db
      .selectFrom('feedback_votes')
      .selectAll()
      .where('post_id', 'in', this.#posts)
      .orderBy('post_id')
      .orderBy('member_id')
      .execute();
    const comments = await db
      .selectFrom('feedback_comments')
      .selectAll()
      .where('post_id', 'in', this.#posts)
      .orderBy('id')
      .execute();
    return { posts: posts.map((row) => ({ ...row, updated_at: 0 })), votes, comments };
  }
}

function byNumber(a: unknown, b: unknown): number {
  return Number((a as unknown[])[0]) - Number((b as unknown[])[0]);
}

onBothEngines('conversations', (open) => {
  async function prepare() {
    const place = await openFeedback(await open());
    const joined = [];
    for (let index = 0; index < PEOPLE; index += 1)
      joined.push(await place.join('member', `Person ${index}`));
    const people = joined.map(({ actor }) => actor);
    return async (steps: readonly Step[]): Promise<Run> => {
      const posts = [];
      for (let index = 0; index < POSTS; index += 1) posts.push(await place.post());
      const run = new Run(place, people, posts);
      for (const step of steps) await run.apply(run.aimed(step));
      return run;
    };
  }

  test('counts equal the votes and threads lose no comment, whatever happens', async () => {
    const perform = await prepare();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        const run = await perform(steps);
        expect(await run.shown()).toEqual(run.model.shown());
      }),
      { numRuns: 40 },
    );
  });

  test('merge then unmerge restores votes, comments and counts exactly', async () => {
    const perform = await prepare();
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 30 }),
      post,
      post,
      async (steps, a, b) => {
        const run = await perform(steps);
        fc.pre(run.model.isMergeable(a, b));
        const before = await run.rows();
        await run.apply({ kind: 'merge', post: a, into: b });
        expect(await run.shown()).toEqual(run.model.shown());
        await run.apply({ kind: 'unmerge', post: a });
        expect(await run.rows()).toEqual(before);
      },
    );
    await fc.assert(property, { numRuns: 30 });
  });
});
