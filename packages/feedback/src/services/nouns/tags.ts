/** Tags: what posts are about. */
import { typeId } from '@parley/kit';
import { defineRows } from '@parley/store';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { CreateTag, PatchTag, Tag } from '../../shapes/nouns.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';
import type { NounScope } from './noun-table.ts';
import { NounTable } from './noun-table.ts';

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

const keyColumn = (name: string) => ({ name_key: tagKey(name) });

const TAGS = defineRows<Tag, NounScope>({
  table: 'feedback_tags',
  scope: { organizationId: 'organization_id' },
  unique: ['organization_id', 'name_key'],
  order: [sql`item.name_key`],
  fields: {
    id: { kind: 'text' },
    name: { kind: 'text' },
    color: { kind: 'text' },
    createdAt: { kind: 'time', column: 'created_at' },
  },
});

export function createTags(base: Base): TagService {
  const tags = new NounTable(base, {
    noun: 'tag',
    title: 'Tag',
    rows: TAGS,
    touches: ['tags'],
  });
  return {
    async list(actor) {
      return tags.list(actor);
    },
    async get(actor, id) {
      return tags.get(actor, id);
    },
    async create(actor, { name, color = DEFAULT_COLOR }) {
      const build = async ({ now }: { readonly now: number }) => ({
        id: typeId('tag', now),
        name,
        color,
        createdAt: isoOf(now),
      });
      return tags.create(actor, undefined, build, keyColumn);
    },
    async update(actor, text, patch, check) {
      const work = async (before: Tag, current: Change) => {
        await current.touch('posts');
        return { name: before.name, color: before.color, ...patch };
      };
      return tags.update(actor, text, check, work, keyColumn);
    },
    async delete(actor, text, check) {
      const id = await tags.idOf(actor, text);
      return change(base, actor, async (current) => {
        const before = await tags.hold(current, id);
        check?.(before);
        await tags.in(current.tx, actor).delete(id);
        await takeOffPosts(current, id);
        await tags.touch(current);
      });
    },
  };
}

async function takeOffPosts({ tx, actor, touch }: Change, id: string): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .deleteFrom('feedback_post_tags')
    .where('organization_id', '=', actor.organizationId)
    .where('tag_id', '=', id)
    .execute();
  await touch('posts');
}
