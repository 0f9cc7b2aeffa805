/** Boards: where posts are. */
import type { SlugForm } from '../slugs.ts';
import { typeId } from '@parley/kit';
import { defineRows } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Board, CreateBoard, PatchBoard } from '../../shapes/nouns.ts';
import { laterThan } from '../hold.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base } from '../write.ts';
import { change } from '../write.ts';
import { deleteBoard } from './board-delete.ts';
import type { NounScope } from './noun-table.ts';
import { nextPosition, NounTable } from './noun-table.ts';

/** What can be done with boards; the team reads, administrators write. */
export interface BoardService {
  /** All boards in their order; the oldest first among those that share a place. */
  list(actor: Actor): Promise<Board[]>;
  get(actor: Actor, id: string): Promise<Board>;
  /** The slug is made from the name when absent. */
  create(actor: Actor, input: CreateBoard): Promise<Board>;
  update(actor: Actor, id: string, patch: PatchBoard, check?: CheckCurrent<Board>): Promise<Board>;
  /** A board with posts goes only with them. */
  delete(
    actor: Actor,
    id: string,
    options?: { readonly cascade?: boolean | undefined; readonly check?: CheckCurrent<Board> | undefined },
  ): Promise<void>;
}

const BOARDS = defineRows<Board, NounScope>({
  table: 'feedback_boards',
  scope: { organizationId: 'organization_id' },
  only: sql`item.deleted_at is null`,
  order: [{ field: ['position'] }, { field: ['createdAt'] }],
  fields: {
    id: { kind: 'text' },
    name: { kind: 'text' },
    slug: { kind: 'text' },
    description: { kind: 'text', nullable: true },
    isPublic: { kind: 'boolean', column: 'is_public' },
    settings: { kind: 'json' },
    position: { kind: 'number' },
    postCount: {
      kind: 'number',
      expression: sql`select coalesce(sum(tally.posts), 0) from feedback_post_counts as tally
        where tally.organization_id = item.organization_id and tally.board_id = item.id and tally.state = 'listed'`,
    },
    createdAt: { kind: 'time', column: 'created_at' },
    updatedAt: { kind: 'time', column: 'updated_at' },
  },
});

/** How the slug of a board looks. */
export const BOARD_SLUG: SlugForm = { noun: 'board', joint: '-', maxLength: 100 };

export function createBoards(base: Base): BoardService {
  const boards = new NounTable(base, {
    noun: 'board',
    title: 'Board',
    rows: BOARDS,
    slug: BOARD_SLUG,
    touches: ['boards'],
  });
  return {
    async list(actor) {
      return boards.list(actor);
    },
    async get(actor, id) {
      return boards.get(actor, id);
    },
    async create(actor, { slug, name, description = null, isPublic = true, settings = {}, position }) {
      return boards.create(actor, slug, async ({ tx, now }) => ({
        id: typeId('board', now),
        name,
        description,
        isPublic,
        settings,
        position: position ?? (await nextPosition(boards.in(tx, actor))),
        createdAt: isoOf(now),
        updatedAt: isoOf(now),
      }));
    },
    async update(actor, text, patch, check) {
      return boards.update(actor, text, check, (before, { now }) => ({
        ...patch,
        updatedAt: isoOf(laterThan(Date.parse(before.updatedAt), now)),
      }));
    },
    async delete(actor, text, { cascade = false, check } = {}) {
      const id = await boards.idOf(actor, text);
      return change(base, actor, (current) =>
        deleteBoard(current, id, {
          cascade,
          look: async () => check?.(await boards.require(current.tx, actor, id)),
        }),
      );
    },
  };
}
