/** Tags: what posts are about. */
import { typeId } from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { requireTeam } from '../../actor.ts';
import { conflict, notFound, orConflict } from '../../faults.ts';
import type { FeedbackTables, TagRow } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { CreateTag, PatchTag, Tag } from '../../shapes/nouns.ts';
import { hold } from '../hold.ts';
import { idOf } from '../names.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** What the team can do with tags. */
export interface TagService {
  /** All tags, by name. */
  list(actor: Actor): Promise<Tag[]>;
  get(actor: Actor, id: string): Promise<Tag>;
  create(actor: Actor, input: CreateTag): Promise<Tag>;
  update(actor: Actor, id: string, patch: PatchTag, check?: CheckCurrent<Tag>): Promise<Tag>;
  /** Takes it off every post. */
  delete(actor: Actor, id: string, check?: CheckCurrent<Tag>): Promise<void>;
}

const DEFAULT_COLOR = '#6b7280';

/** The name of a tag as it is compared: without case. */
export function tagKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Creates the service. */
export function createTags(base: Base): TagService {
  return {
    async list(actor) {
      requireTeam(actor);
      return (await selectTags(base.store, actor).execute()).map(toTag);
    },
    async get(actor, id) {
      requireTeam(actor);
      return toTag(
        await requireRow(base.store, actor, await idOf(base.store, actor.organizationId, 'tag', id)),
      );
    },
    async create(actor, input) {
      requireTeam(actor);
      return change(base, actor, (current) => insertTag(current, input));
    },
    async update(actor, text, patch, check) {
      requireTeam(actor);
      const id = await idOf(base.store, actor.organizationId, 'tag', text);
      return change(base, actor, async (current) => {
        await hold(current, 'feedback_tags', id);
        const before = await requireRow(current.tx, actor, id);
        check?.(toTag(before));
        return updateTag(current, before, patch);
      });
    },
    async delete(actor, text, check) {
      requireTeam(actor);
      const id = await idOf(base.store, actor.organizationId, 'tag', text);
      return change(base, actor, async (current) => {
        await hold(current, 'feedback_tags', id);
        check?.(toTag(await requireRow(current.tx, actor, id)));
        await deleteTag(current, id);
      });
    },
  };
}

function nameTaken(name: string): string {
  return `A tag with the name "${name}" exists already`;
}

async function insertTag({ tx, now, actor, touch }: Change, input: CreateTag): Promise<Tag> {
  const { name, color = DEFAULT_COLOR } = input;
  const row: TagRow = {
    organization_id: actor.organizationId,
    id: typeId('tag', now),
    name,
    name_key: tagKey(name),
    color,
    created_at: now,
  };
  const { numInsertedOrUpdatedRows } = await tx
    .db<FeedbackTables>()
    .insertInto('feedback_tags')
    .values(row)
    .onConflict((clash) => clash.columns(['organization_id', 'name_key']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw conflict(nameTaken(name));
  await touch('tags');
  return toTag(row);
}

async function updateTag({ tx, actor, touch }: Change, before: TagRow, patch: PatchTag): Promise<Tag> {
  const { name = before.name, color = before.color } = patch;
  const set = { name, name_key: tagKey(name), color };
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_tags')
    .set(set)
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', before.id)
    .execute()
    .catch(orConflict(nameTaken(name)));
  await touch('tags');
  await touch('posts');
  return toTag({ ...before, ...set });
}

async function deleteTag({ tx, actor, touch }: Change, id: string): Promise<void> {
  const db = tx.db<FeedbackTables>();
  const { numDeletedRows } = await db
    .deleteFrom('feedback_tags')
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound('Tag');
  await db
    .deleteFrom('feedback_post_tags')
    .where('organization_id', '=', actor.organizationId)
    .where('tag_id', '=', id)
    .execute();
  await touch('tags');
  await touch('posts');
}

function selectTags(from: Queryable, { organizationId }: Pick<Actor, 'organizationId'>) {
  return from
    .db<FeedbackTables>()
    .selectFrom('feedback_tags')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('name_key');
}

async function requireRow(from: Queryable, actor: Actor, id: string): Promise<TagRow> {
  const row = await selectTags(from, actor).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Tag');
  return row;
}

function toTag({ id, name, color, created_at }: TagRow): Tag {
  return { id, name, color, createdAt: isoOf(created_at) };
}
