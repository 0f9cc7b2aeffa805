/** Tags: words that an organization marks its members with. */
import type { IdentityTables } from '@parley/identity';
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { defineRows } from '@parley/store';
import { sql } from 'kysely';
import type { MeshTables } from '../schema.ts';

/** A tag, as tools show it. */
export interface Tag {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly createdAt: string;
}

export interface Tags {
  /** All of them, by name. */
  list(organizationId: string): Promise<Tag[]>;
  /** The tag with this name, made when there is none; case does not matter. */
  ensure(organizationId: string, name: string): Promise<Tag>;
  /** Takes it off every member; false when there is none. */
  delete(organizationId: string, tagId: string): Promise<boolean>;
  ofMember(organizationId: string, memberId: string): Promise<Tag[]>;
  /** Replaces the tags of a member; an unknown one changes nothing. */
  setOfMember(organizationId: string, memberId: string, tagIds: readonly string[]): Promise<Tag[]>;
}

const TAGS = defineRows<Tag, { organizationId: string }>({
  table: 'organization_tags',
  scope: { organizationId: 'organization_id' },
  unique: ['organization_id', 'name_key'],
  order: [sql`item.name_key`],
  fields: {
    id: { kind: 'text' },
    organizationId: { kind: 'text', column: 'organization_id' },
    name: { kind: 'text' },
    createdAt: { kind: 'time', column: 'created_at' },
  },
});

export function createTags(store: Store, now: () => number): Tags {
  return {
    list: (organizationId) => TAGS.in(store, { organizationId }).all(),
    ensure: (organizationId, name) =>
      store.transaction(async (tx) => {
        const key = name.normalize('NFC').toLowerCase();
        const createdAt = new Date(now()).toISOString();
        await TAGS.in(tx, { organizationId }).insert(
          { id: typeId('tag', now()), name, createdAt },
          { name_key: key },
        );
        const { id } = await tx
          .db<MeshTables>()
          .selectFrom('organization_tags')
          .select('id')
          .where('organization_id', '=', organizationId)
          .where('name_key', '=', key)
          .executeTakeFirstOrThrow();
        return found(await TAGS.in(tx, { organizationId }).get(id), 'Tag');
      }),
    delete: (organizationId, tagId) => TAGS.in(store, { organizationId }).delete(tagId),
    async ofMember(organizationId, memberId) {
      await requireMember(store, organizationId, memberId);
      return tagsOf(store, organizationId, memberId);
    },
    setOfMember: (organizationId, memberId, tagIds) =>
      store.transaction(async (tx) => {
        // Held, so that two sets of tags never end up mixed.
        await tx.hold(memberQuery(tx, organizationId, memberId));
        await requireMember(tx, organizationId, memberId);
        await replaceTags(tx, { organizationId, memberId, tagIds: [...new Set(tagIds)] }, now());
        return tagsOf(tx, organizationId, memberId);
      }),
  };
}

async function replaceTags(
  tx: StoreTransaction,
  { organizationId, memberId, tagIds }: { organizationId: string; memberId: string; tagIds: string[] },
  now: number,
): Promise<void> {
  const db = tx.db<MeshTables>();
  const known = await TAGS.in(tx, { organizationId }).all();
  const unknown = tagIds.find((tagId) => !known.some(({ id }) => id === tagId));
  if (unknown !== undefined) throw new ToolError('not_found', `Tag not found: ${unknown}`);
  const before = await tagsOf(tx, organizationId, memberId);
  const gone = before.map(({ id }) => id).filter((id) => !tagIds.includes(id));
  const added = tagIds.filter((tagId) => !before.some(({ id }) => id === tagId));
  if (gone.length > 0)
    await db
      .deleteFrom('member_tags')
      .where('member_id', '=', memberId)
      .where('tag_id', 'in', gone)
      .execute();
  const rows = added.map((tagId) => ({
    id: typeId('mtag', now),
    organization_id: organizationId,
    member_id: memberId,
    tag_id: tagId,
  }));
  if (rows.length > 0) await db.insertInto('member_tags').values(rows).execute();
}

async function tagsOf(from: Queryable, organizationId: string, memberId: string): Promise<Tag[]> {
  const marked = await from
    .db<MeshTables>()
    .selectFrom('member_tags')
    .select('tag_id')
    .where('organization_id', '=', organizationId)
    .where('member_id', '=', memberId)
    .execute();
  const ids = new Set(marked.map(({ tag_id: id }) => id));
  return (await TAGS.in(from, { organizationId }).all()).filter(({ id }) => ids.has(id));
}

function memberQuery(from: Queryable, organizationId: string, memberId: string) {
  return from
    .db<IdentityTables>()
    .selectFrom('members')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', memberId);
}

async function requireMember(from: Queryable, organizationId: string, memberId: string): Promise<void> {
  found(await memberQuery(from, organizationId, memberId).executeTakeFirst(), 'Member');
}

function found<T>(item: T | undefined, noun: string): T {
  if (item === undefined) throw new ToolError('not_found', `${noun} not found`);
  return item;
}
