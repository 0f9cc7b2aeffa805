/** Roadmaps: what the team plans, in order. */
import { typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { requireAdmin, requireTeam } from '../../actor.ts';
import { notFound, orConflict } from '../../faults.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables, RoadmapRow } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { CreateRoadmap, PatchRoadmap, Roadmap, RoadmapPost } from '../../shapes/nouns.ts';
import type { Page } from '../../shapes/posts.ts';
import { hold, laterThan } from '../hold.ts';
import { idOf } from '../names.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import { addRoadmapPost, moveRoadmapPost, removeRoadmapPost } from './roadmap-entries.ts';
import type { RoadmapPostQuery } from './roadmap-posts.ts';
import { listRoadmapPosts } from './roadmap-posts.ts';
import type { SlugForm } from '../slugs.ts';
import { insertWithSlug, slugTaken } from '../slugs.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** What can be done with roadmaps; administrators make them, the team fills them. */
export interface RoadmapService {
  /** All roadmaps, by position. */
  list(actor: Actor): Promise<Roadmap[]>;
  get(actor: Actor, id: string): Promise<Roadmap>;
  /** The slug is made from the name when absent; without a position it comes last. */
  create(actor: Actor, input: CreateRoadmap): Promise<Roadmap>;
  update(actor: Actor, id: string, patch: PatchRoadmap, check?: CheckCurrent<Roadmap>): Promise<Roadmap>;
  /** Its posts stay, only not on it. */
  delete(actor: Actor, id: string, check?: CheckCurrent<Roadmap>): Promise<void>;
  posts(actor: Actor, roadmapId: string, query: RoadmapPostQuery): Promise<Page<RoadmapPost>>;
  /** Puts a post at the end. */
  addPost(actor: Actor, roadmapId: string, postId: string): Promise<RoadmapPost>;
  /** Moves a post to a position; those between its old place and the new one make room. */
  movePost(
    actor: Actor,
    roadmapId: string,
    postId: string,
    position: number,
    check?: CheckCurrent<RoadmapPost>,
  ): Promise<RoadmapPost>;
  removePost(
    actor: Actor,
    roadmapId: string,
    postId: string,
    check?: CheckCurrent<RoadmapPost>,
  ): Promise<void>;
}

const FORM: SlugForm = { noun: 'roadmap', joint: '-', maxLength: 100 };
const LAST_POSITION = 2 ** 31 - 1;

/** Creates the service. */
export function createRoadmaps(base: Base): RoadmapService {
  const idFor = ({ organizationId }: Actor, text: string) =>
    idOf(base.store, organizationId, 'roadmap', text);

  /** A change of the entries of a roadmap, which nobody else changes meanwhile. */
  function changeEntries<T>(
    actor: Actor,
    roadmapId: string,
    work: (current: Change) => Promise<T>,
  ): Promise<T> {
    return change(base, actor, async (current) => {
      await hold(current, 'feedback_roadmaps', roadmapId);
      await requireRow(current.tx, actor, roadmapId);
      const done = await work(current);
      await current.touch('roadmaps');
      return done;
    });
  }

  return {
    async list(actor) {
      requireTeam(actor);
      return (await selectRoadmaps(base.store, actor).execute()).map(toRoadmap);
    },
    async get(actor, id) {
      requireTeam(actor);
      return toRoadmap(await requireRow(base.store, actor, await idFor(actor, id)));
    },
    async create(actor, input) {
      requireAdmin(actor);
      return change(base, actor, (current) => insertRoadmap(current, input));
    },
    async update(actor, text, patch, check) {
      requireAdmin(actor);
      const id = await idFor(actor, text);
      return change(base, actor, async (current) => {
        await hold(current, 'feedback_roadmaps', id);
        const before = await requireRow(current.tx, actor, id);
        check?.(toRoadmap(before));
        return updateRoadmap(current, before, patch);
      });
    },
    async delete(actor, text, check) {
      requireAdmin(actor);
      const id = await idFor(actor, text);
      return changeEntries(actor, id, async (current) => {
        check?.(toRoadmap(await requireRow(current.tx, actor, id)));
        await deleteRoadmap(current, id);
      });
    },
    async posts(actor, text, query) {
      requireTeam(actor);
      const roadmapId = await idFor(actor, text);
      await requireRow(base.store, actor, roadmapId);
      return listRoadmapPosts(base.store, actor.organizationId, roadmapId, query);
    },
    async addPost(actor, roadmapId, postId) {
      requireTeam(actor);
      const entry = { roadmapId: await idFor(actor, roadmapId), postId: checkId('post', postId) };
      return changeEntries(actor, entry.roadmapId, (current) => addRoadmapPost(current, entry));
    },
    async movePost(actor, roadmapId, postId, position, check) {
      requireTeam(actor);
      const entry = { roadmapId: await idFor(actor, roadmapId), postId: checkId('post', postId) };
      return changeEntries(actor, entry.roadmapId, (current) =>
        moveRoadmapPost(current, entry, { position, check }),
      );
    },
    async removePost(actor, roadmapId, postId, check) {
      requireTeam(actor);
      const entry = { roadmapId: await idFor(actor, roadmapId), postId: checkId('post', postId) };
      return changeEntries(actor, entry.roadmapId, (current) => removeRoadmapPost(current, entry, check));
    },
  };
}

async function insertRoadmap({ tx, now, actor, touch }: Change, input: CreateRoadmap): Promise<Roadmap> {
  const { organizationId } = actor;
  const db = tx.db<FeedbackTables>();
  const row = {
    organization_id: organizationId,
    id: typeId('roadmap', now),
    name: input.name,
    description: input.description ?? null,
    is_public: input.isPublic === false ? 0 : 1,
    position: input.position ?? (await nextPosition(tx, organizationId)),
    created_at: now,
    updated_at: now,
  };
  await insertWithSlug({
    form: FORM,
    name: input.name,
    given: input.slug,
    async taken() {
      const rows = await selectRoadmaps(tx, actor).execute();
      return rows.map(({ slug }) => slug);
    },
    async insert(slug) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('feedback_roadmaps')
        .values({ ...row, slug })
        .onConflict((conflict) => conflict.columns(['organization_id', 'slug']).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
  });
  await touch('roadmaps');
  return toRoadmap(await requireRow(tx, actor, row.id));
}

async function nextPosition(tx: StoreTransaction, organizationId: string): Promise<number> {
  const last = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_roadmaps')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return Math.min((last?.position ?? -1) + 1, LAST_POSITION);
}

async function updateRoadmap(
  { tx, now, actor, touch }: Change,
  before: RoadmapRow,
  { name, slug, description, isPublic, position }: PatchRoadmap,
): Promise<Roadmap> {
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_roadmaps')
    .set({
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description }),
      ...(isPublic !== undefined && { is_public: isPublic ? 1 : 0 }),
      ...(position !== undefined && { position }),
      updated_at: laterThan(before.updated_at, now),
    })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', before.id)
    .execute()
    .catch(orConflict(slugTaken(FORM.noun, slug ?? '')));
  await touch('roadmaps');
  return toRoadmap(await requireRow(tx, actor, before.id));
}

async function deleteRoadmap({ tx, actor }: Change, id: string): Promise<void> {
  const db = tx.db<FeedbackTables>();
  await db
    .deleteFrom('feedback_roadmap_posts')
    .where('organization_id', '=', actor.organizationId)
    .where('roadmap_id', '=', id)
    .execute();
  await db
    .deleteFrom('feedback_roadmaps')
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', id)
    .execute();
}

function selectRoadmaps(from: Queryable, { organizationId }: Pick<Actor, 'organizationId'>) {
  return from
    .db<FeedbackTables>()
    .selectFrom('feedback_roadmaps')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('position')
    .orderBy('id');
}

async function requireRow(from: Queryable, actor: Actor, id: string): Promise<RoadmapRow> {
  const row = await selectRoadmaps(from, actor).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Roadmap');
  return row;
}

function toRoadmap(row: RoadmapRow): Roadmap {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    isPublic: row.is_public === 1,
    position: row.position,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}
