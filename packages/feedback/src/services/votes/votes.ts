/** Votes: one per post and member, counted in the same transaction. */
import { ToolError, typeId } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import { notFound } from '../../faults.ts';
import { checkId, fromIdentityId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { Page, PageQuery, Voter, VoteResult } from '../../shapes/posts.ts';
import { memberIdOf } from '../people/people-names.ts';
import type { TalkedPost } from '../posts/access.ts';
import { holdOpenPost, requirePost } from '../posts/access.ts';
import { withoutEmail } from '../posts/create.ts';
import { duplicatesOf } from '../posts/family.ts';
import { listVoters } from './voters.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** A vote on behalf of somebody. */
export interface ProxyVote {
  readonly memberId: string;
  readonly voted: boolean;
  /** Where the wish came from, e.g. "support call". */
  readonly source?: string | undefined;
}

export interface VoteService {
  toggle(actor: Actor, postId: string): Promise<VoteResult>;
  /** Safe to repeat. */
  set(actor: Actor, postId: string, voted: boolean): Promise<VoteResult>;
  /** For the team: votes for any member of the organization. */
  proxy(actor: Actor, postId: string, vote: ProxyVote): Promise<VoteResult>;
  /** For the team: newest first. */
  voters(actor: Actor, postId: string, query: PageQuery): Promise<Page<Voter>>;
}

export function createVotes(base: Base): VoteService {
  const own = (actor: Actor, wanted: Ballot['wanted']): Ballot => ({
    memberId: actor.memberId,
    wanted,
    source: null,
    proxyMemberId: null,
  });
  return {
    toggle: async (actor, postId) => cast(base, actor, checkId('post', postId), own(actor, 'other')),
    set: async (actor, postId, voted) => cast(base, actor, checkId('post', postId), own(actor, voted)),
    async proxy(actor, postId, vote) {
      const id = checkId('post', postId);
      const memberId = await memberIdOf(base.store, actor, vote.memberId);
      const source = checkSource(vote.source);
      const member = await base.identity.getMember(actor.organizationId, memberId);
      if (member === undefined) throw notFound('Member');
      return cast(base, actor, id, { memberId, wanted: vote.voted, source, proxyMemberId: actor.memberId });
    },
    voters: async (actor, postId, query) => listVoters(base.store, actor, checkId('post', postId), query),
  };
}

const MAX_SOURCE = 50;

function checkSource(text = ''): string | null {
  const source = text.trim();
  if (source.length > MAX_SOURCE || source.includes('\0'))
    throw new ToolError('invalid', `source: must have at most ${MAX_SOURCE} characters`);
  return source === '' ? null : source;
}

/** Whose vote it is, and what it shall be. */
interface Ballot {
  readonly memberId: string;
  readonly wanted: boolean | 'other';
  readonly source: string | null;
  readonly proxyMemberId: string | null;
}

function cast(base: Base, actor: Actor, postId: string, ballot: Ballot): Promise<VoteResult> {
  return change(base, actor, async (current) => {
    // Held until the end, so that the count that is read here is still true when it is written.
    const post = await holdOpenPost(current, postId);
    const isAdded = ballot.wanted !== false && (await add(current, post, ballot));
    if (!isAdded && ballot.wanted === true) return { voted: true, voteCount: post.vote_count };
    if (!isAdded && !(await withdraw(current, post, ballot)))
      return { voted: false, voteCount: post.vote_count };
    const voteCount = post.vote_count + (isAdded ? 1 : -1);
    await setVoteCount(current, post, voteCount);
    await noteProxy(current, post, ballot, isAdded);
    await current.touch('posts');
    return { voted: isAdded, voteCount };
  });
}

/** False when the member has voted already. */
async function add({ tx, now, actor }: Change, post: TalkedPost, ballot: Ballot): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .db<FeedbackTables>()
    .insertInto('feedback_votes')
    .values({
      organization_id: actor.organizationId,
      id: typeId('vote', now),
      post_id: post.id,
      member_id: ballot.memberId,
      via_post_id: '',
      source: ballot.source,
      proxy_member_id: ballot.proxyMemberId,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Takes the vote off the post and off its duplicates, since the person withdraws from the one idea that they are. */
async function withdraw({ tx, actor }: Change, post: TalkedPost, { memberId }: Ballot): Promise<boolean> {
  const db = tx.db<FeedbackTables>();
  const duplicates = await duplicatesOf(tx, actor, post.id);
  const gone = await db
    .deleteFrom('feedback_votes')
    .where('organization_id', '=', actor.organizationId)
    .where('post_id', 'in', [post.id, ...duplicates])
    .where('member_id', '=', memberId)
    .returning('post_id')
    .execute();
  const counted = gone.map(({ post_id }) => post_id).filter((id) => id !== post.id);
  if (counted.length > 0) {
    await db
      .updateTable('feedback_posts')
      .set(({ eb }) => ({ vote_count: eb('vote_count', '-', 1) }))
      .where('organization_id', '=', actor.organizationId)
      .where('id', 'in', counted)
      .execute();
  }
  return gone.length > counted.length;
}

async function noteProxy(current: Change, post: TalkedPost, ballot: Ballot, isAdded: boolean): Promise<void> {
  if (ballot.proxyMemberId === null) return;
  const member = fromIdentityId('member', ballot.memberId);
  if (isAdded) await current.activity(post.id, 'proxy_vote_added', null, member);
  else await current.activity(post.id, 'proxy_vote_removed', member, null);
}

const THRESHOLDS = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/** The highest threshold that a number of votes has reached; 0 below the first. */
export function reachedThreshold(voteCount: number): number {
  return THRESHOLDS.findLast((threshold) => threshold <= voteCount) ?? 0;
}

/** Writes the count of a post that is held; the first time that it reaches a round number is announced. */
export async function setVoteCount(
  current: Change,
  post: Pick<TalkedPost, 'id' | 'board_id' | 'vote_threshold' | 'moderation'>,
  voteCount: number,
): Promise<void> {
  const { tx, actor } = current;
  const reached = reachedThreshold(voteCount);
  const isNew = post.moderation === 'published' && reached > post.vote_threshold;
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_posts')
    .set({ vote_count: voteCount, ...(isNew && { vote_threshold: reached }) })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', post.id)
    .execute();
  if (!isNew) return;
  const data = { post: withoutEmail(await requirePost(current, post.id)), threshold: reached, voteCount };
  await current.event('post.vote_threshold', { postId: post.id, boardId: post.board_id }, data);
}
