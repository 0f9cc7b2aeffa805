/** One change: a transaction with what follows from it, namely activity, events and notices. */
import type { Events } from '@parley/events';
import type { Identity } from '@parley/identity';
import { typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { Actor } from '../actor.ts';
import type { FeedbackTables } from '../schema.ts';

/** What the services stand on. */
export interface Base {
  readonly store: Store;
  readonly identity: Identity;
  readonly events: Pick<Events, 'publish' | 'webhooks'>;
  readonly tasks: TaskEngine;
  readonly now: () => number;
}

/** What clients may have read and should read again. */
export const NOUNS = ['boards', 'statuses', 'tags', 'roadmaps', 'members', 'posts', 'changelog'] as const;
export type Noun = (typeof NOUNS)[number];

/** The topic under which changes of feedback are announced; the payload is the organization. */
export const changedTopic = (noun: Noun) => `feedback.${noun}`;

/** The events that webhooks can ask for. */
export const EVENT_TYPES = [
  'post.created',
  'post.updated',
  'post.status_changed',
  'post.vote_threshold',
  'post.merged',
  'post.deleted',
  'comment.created',
  'changelog.published',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A change that is under way. */
export interface Change {
  readonly tx: StoreTransaction;
  readonly now: number;
  readonly actor: Actor;
  /** Writes a line into the activity of a post. */
  activity(postId: string, action: string, from?: string | null, to?: string | null): Promise<void>;
  /** Announces an event; deliveries about one post keep their order. */
  event(type: EventType, about: { postId?: string; boardId?: string }, data: unknown): Promise<void>;
  /** Tells readers that a list has changed. */
  touch(noun: Noun): Promise<void>;
}

/** Runs a change in one transaction: all of it happens, or nothing. */
export function change<T>(base: Base, actor: Actor, work: (change: Change) => Promise<T>): Promise<T> {
  return base.store.transaction(async (tx) => {
    const result = await work(changeIn(base, actor, tx));
    await actor.onChange?.(tx);
    return result;
  });
}

/** A change inside a transaction that is open already. */
export function changeIn(base: Base, actor: Actor, tx: StoreTransaction): Change {
  const now = base.now();
  const { organizationId } = actor;
  return {
    tx,
    now,
    actor,
    async activity(postId, action, from = null, to = null) {
      await tx
        .db<FeedbackTables>()
        .insertInto('feedback_activity')
        .values({
          organization_id: organizationId,
          id: typeId('note', now),
          post_id: postId,
          member_id: actor.memberId,
          user_id: actor.userId,
          agent_name: actor.agentName,
          action,
          from_value: from,
          to_value: to,
          created_at: now,
        })
        .execute();
    },
    async event(type, { postId, boardId }, data) {
      await base.events.publish(tx, {
        organizationId,
        source: `${organizationId}_self`,
        type,
        data,
        time: now,
        ...(postId !== undefined && { subject: postId, orderKey: postId }),
        ...(boardId !== undefined && { group: boardId }),
      });
    },
    touch: (noun) => tx.signal(changedTopic(noun), organizationId),
  };
}
