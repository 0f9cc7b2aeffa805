/** Roadmaps: what the team plans, in order. */
import { typeId } from '@parley/kit';
import { defineRows } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { CreateRoadmap, PatchRoadmap, Roadmap, RoadmapPost } from '../../shapes/nouns.ts';
import type { Page } from '../../shapes/posts.ts';
import { laterThan } from '../hold.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';
import type { NounScope } from './noun-table.ts';
import { nextPosition, NounTable } from './noun-table.ts';
import { addRoadmapPost, moveRoadmapPost, removeRoadmapPost } from './roadmap-entries.ts';
import type { RoadmapPostQuery } from './roadmap-posts.ts';
import { listRoadmapPosts } from './roadmap-posts.ts';

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

const ROADMAPS = defineRows<Roadmap, NounScope>({
  table: 'feedback_roadmaps',
  scope: { organizationId: 'organization_id' },
  unique: ['organization_id', 'slug'],
  order: [{ field: ['position'] }],
  fields: {
    id: { kind: 'text' },
    name: { kind: 'text' },
    slug: { kind: 'text' },
    description: { kind: 'text', nullable: true },
    isPublic: { kind: 'boolean', column: 'is_public' },
    position: { kind: 'number' },
    createdAt: { kind: 'time', column: 'created_at' },
    updatedAt: { kind: 'time', column: 'updated_at' },
  },
});

export function createRoadmaps(base: Base): RoadmapService {
  const roadmaps = new NounTable(base, {
    noun: 'roadmap',
    title: 'Roadmap',
    rows: ROADMAPS,
    slug: { noun: 'roadmap', joint: '-', maxLength: 100 },
    touches: ['roadmaps'],
  });

  /** A change of the entries of a roadmap, which nobody else changes meanwhile. */
  function changeEntries<T>(
    actor: Actor,
    roadmapId: string,
    work: (current: Change, roadmap: Roadmap) => Promise<T>,
  ): Promise<T> {
    return change(base, actor, async (current) => {
      const done = await work(current, await roadmaps.hold(current, roadmapId));
      await roadmaps.touch(current);
      return done;
    });
  }

  const entryOf = async (actor: Actor, roadmapId: string, postId: string) => ({
    roadmapId: await roadmaps.idOf(actor, roadmapId),
    postId: checkId('post', postId),
  });

  return {
    async list(actor) {
      return roadmaps.list(actor);
    },
    async get(actor, id) {
      return roadmaps.get(actor, id);
    },
    async create(actor, { slug, name, description = null, isPublic = true, position }) {
      return roadmaps.create(actor, slug, async ({ tx, now }) => ({
        id: typeId('roadmap', now),
        name,
        description,
        isPublic,
        position: position ?? (await nextPosition(roadmaps.in(tx, actor))),
        createdAt: isoOf(now),
        updatedAt: isoOf(now),
      }));
    },
    async update(actor, text, patch, check) {
      return roadmaps.update(actor, text, check, (before, { now }) => ({
        ...patch,
        updatedAt: isoOf(laterThan(Date.parse(before.updatedAt), now)),
      }));
    },
    async delete(actor, text, check) {
      const id = await roadmaps.idOf(actor, text);
      return changeEntries(actor, id, async (current, roadmap) => {
        check?.(roadmap);
        await deleteEntries(current, id);
        await roadmaps.in(current.tx, actor).delete(id);
      });
    },
    async posts(actor, text, query) {
      const { id } = await roadmaps.get(actor, text);
      return listRoadmapPosts(base.store, actor, id, query);
    },
    async addPost(actor, roadmapId, postId) {
      const entry = await entryOf(actor, roadmapId, postId);
      return changeEntries(actor, entry.roadmapId, (current) => addRoadmapPost(current, entry));
    },
    async movePost(actor, roadmapId, postId, position, check) {
      const entry = await entryOf(actor, roadmapId, postId);
      return changeEntries(actor, entry.roadmapId, (current) =>
        moveRoadmapPost(current, entry, { position, check }),
      );
    },
    async removePost(actor, roadmapId, postId, check) {
      const entry = await entryOf(actor, roadmapId, postId);
      return changeEntries(actor, entry.roadmapId, (current) => removeRoadmapPost(current, entry, check));
    },
  };
}

async function deleteEntries({ tx, actor }: Change, roadmapId: string): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .deleteFrom('feedback_roadmap_posts')
    .where('organization_id', '=', actor.organizationId)
    .where('roadmap_id', '=', roadmapId)
    .execute();
}
