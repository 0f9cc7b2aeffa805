/** Visitors of the public pages: how they come in, and how what they write reaches a board. */
import type { OpenedSession } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { systemCaller } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import { notFound, RuleBroken } from '../../faults.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { CreatePost } from '../../shapes/posts.ts';
import { insertPost } from '../posts/create.ts';
import type { PostTexts } from '../posts/edit-own.ts';
import { editOwnPost, isModerated } from '../posts/edit-own.ts';
import { looksLikeTeam } from './visitor-names.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** What a visitor posts. */
export type Submission = Pick<CreatePost, 'boardId' | 'title' | 'content'>;

export interface VisitorService {
  /** True for a name that readers would take for the team's. */
  isReserved(organizationId: string, name: string): Promise<boolean>;
  /** Makes somebody a member of rank `user` under this name, and signs them in. */
  welcome(organizationId: string, name: string): Promise<OpenedSession>;
  /** A new post on a public board; it waits for the team when the board's settings say `moderation: true`. */
  submit(actor: Actor, input: Submission): Promise<{ id: string; isPending: boolean }>;
  /** New texts for an own post that nobody else has dealt with. */
  edit(actor: Actor, postId: string, texts: PostTexts): Promise<{ id: string; isPending: boolean }>;
}

/** What somebody is told who chose a name of the team. */
export const TEAM_NAME = 'That name looks like one of the team. Choose another one.';

export function createVisitors(base: Base): VisitorService {
  const { identity } = base;
  return {
    isReserved: (organizationId, name) => looksLikeTeam(base.store, organizationId, name),
    async welcome(organizationId, name) {
      if (await looksLikeTeam(base.store, organizationId, name)) throw new RuleBroken(TEAM_NAME);
      const userId = await identity.createUser({ name, email: null });
      await identity.addMember(doorkeeperOf(organizationId), { userId, roles: ['user'] });
      return identity.sessions.open({ organizationId, userId });
    },
    submit: (actor, input) =>
      change(base, actor, async (current) => {
        const isHeld = await requirePublicBoard(current, input.boardId);
        const moderation = isHeld && !isTeam(actor) ? 'pending' : 'published';
        const { id } = await insertPost(current, input, moderation);
        return { id, isPending: moderation === 'pending' };
      }),
    edit: async (actor, postId, texts) => editOwnPost(base, actor, checkId('post', postId), texts),
  };
}

/** Lets visitors in, and can do nothing that a visitor cannot. */
function doorkeeperOf(organizationId: string): Caller {
  const powers = { roles: ['user'], source: 'web', unattended: false } as const;
  return { ...systemCaller('feedback-pages', 'Public pages', organizationId), ...powers };
}

/** Throws unless everybody may see the board; returns whether the team looks at its posts first. */
async function requirePublicBoard({ tx, actor }: Change, id: string): Promise<boolean> {
  const row = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_boards')
    .select('settings')
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', checkId('board', id))
    .where('is_public', '=', 1)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw notFound('Board');
  return isModerated(row.settings);
}
