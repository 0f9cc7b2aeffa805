/** Boards: where posts are. */
import { typeId } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { requireAdmin, requireTeam } from '../../actor.ts';
import { notFound, orConflict } from '../../faults.ts';
import type { BoardRow, FeedbackTables } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Board, CreateBoard, PatchBoard } from '../../shapes/nouns.ts';
import { deleteBoard } from './board-delete.ts';
import { hold, laterThan } from '../hold.ts';
import { idOf } from '../names.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { SlugForm } from '../slugs.ts';
import { insertWithSlug, slugTaken } from '../slugs.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** What can be done with boards; the team reads, administrators write. */
export interface BoardService {
  /** All boards, the oldest first. */
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

const FORM: SlugForm = { noun: 'board', joint: '-', maxLength: 100 };

/** Creates the service. */
export function createBoards(base: Base): BoardService {
  return {
    async list(actor) {
      requireTeam(actor);
      return (await selectBoards(base.store, actor).execute()).map(toBoard);
    },
    async get(actor, id) {
      requireTeam(actor);
      return toBoard(
        await requireRow(base.store, actor, await idOf(base.store, actor.organizationId, 'board', id)),
      );
    },
    async create(actor, input) {
      requireAdmin(actor);
      return change(base, actor, (current) => insertBoard(current, input));
    },
    async update(actor, text, patch, check) {
      requireAdmin(actor);
      const id = await idOf(base.store, actor.organizationId, 'board', text);
      return change(base, actor, async (current) => {
        await hold(current, 'feedback_boards', id);
        const before = await requireRow(current.tx, actor, id);
        check?.(toBoard(before));
        return updateBoard(current, before, patch);
      });
    },
    async delete(actor, text, { cascade = false, check } = {}) {
      requireAdmin(actor);
      const id = await idOf(base.store, actor.organizationId, 'board', text);
      const look = async ({ tx }: Change) => check?.(toBoard(await requireRow(tx, actor, id)));
      return change(base, actor, (current) => deleteBoard(current, id, { cascade, look }));
    },
  };
}

async function insertBoard({ tx, now, actor, touch }: Change, input: CreateBoard): Promise<Board> {
  const { organizationId } = actor;
  const db = tx.db<FeedbackTables>();
  const row = {
    organization_id: organizationId,
    id: typeId('board', now),
    name: input.name,
    description: input.description ?? null,
    is_public: input.isPublic === false ? 0 : 1,
    settings: toJson(input.settings ?? {}),
    created_at: now,
    updated_at: now,
    deleted_at: null,
  };
  await insertWithSlug({
    form: FORM,
    name: input.name,
    given: input.slug,
    async taken(beginning) {
      const rows = await db
        .selectFrom('feedback_boards')
        .select('slug')
        .where('organization_id', '=', organizationId)
        .where('deleted_at', 'is', null)
        .where('slug', 'like', `${beginning}%`)
        .execute();
      return rows.map(({ slug }) => slug);
    },
    async insert(slug) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('feedback_boards')
        .values({ ...row, slug })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
  });
  await touch('boards');
  return toBoard(await requireRow(tx, actor, row.id));
}

async function updateBoard(
  { tx, now, actor, touch }: Change,
  before: CountedBoard,
  patch: PatchBoard,
): Promise<Board> {
  const { name, slug, description, isPublic, settings } = patch;
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_boards')
    .set({
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description }),
      ...(isPublic !== undefined && { is_public: isPublic ? 1 : 0 }),
      ...(settings !== undefined && { settings: toJson(settings) }),
      updated_at: laterThan(before.updated_at, now),
    })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', before.id)
    .execute()
    .catch(orConflict(slugTaken(FORM.noun, slug ?? '')));
  await touch('boards');
  return toBoard(await requireRow(tx, actor, before.id));
}

type CountedBoard = BoardRow & { readonly posts: number };

function selectBoards(from: Queryable, { organizationId }: Pick<Actor, 'organizationId'>) {
  return from
    .db<FeedbackTables>()
    .selectFrom('feedback_boards as board')
    .selectAll('board')
    .select(({ selectFrom, fn, val }) =>
      fn
        .coalesce(
          selectFrom('feedback_post_counts as count')
            .select(({ fn: { sum } }) => sum<number>('count.posts').as('posts'))
            .whereRef('count.organization_id', '=', 'board.organization_id')
            .whereRef('count.board_id', '=', 'board.id')
            .where('count.state', '=', 'listed'),
          val(0),
        )
        .as('posts'),
    )
    .where('board.organization_id', '=', organizationId)
    .where('board.deleted_at', 'is', null)
    .orderBy('board.created_at')
    .orderBy('board.id');
}

async function requireRow(from: Queryable, actor: Actor, id: string): Promise<CountedBoard> {
  const row = await selectBoards(from, actor).where('board.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Board');
  return row;
}

function toBoard(row: CountedBoard): Board {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    isPublic: row.is_public === 1,
    settings: fromJson<Record<string, unknown>>(row.settings),
    postCount: row.posts,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}
