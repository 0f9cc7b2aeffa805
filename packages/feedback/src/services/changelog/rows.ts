/** Changelog entries as rows, and as surfaces show them. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Selectable } from 'kysely';
import { notFound } from '../../faults.ts';
import { checkId } from '../../ids.ts';
import type { ChangelogRow, FeedbackTables } from '../../schema.ts';
import { isoOf, isoOrNull } from '../../shapes/fields.ts';
import type { ChangelogEntry } from '../../shapes/nouns.ts';
import type { Tables } from '../posts/rows.ts';
import type { Change } from '../write.ts';

/** An entry with the name of its author. */
export interface NamedEntry extends Selectable<ChangelogRow> {
  author_name: string | null;
}

/** The entries of an organization that are not deleted; the caller adds conditions and columns. */
export function entriesOf(from: Queryable, organizationId: string) {
  return from
    .db<Tables>()
    .selectFrom('feedback_changelog as entry')
    .leftJoin('users as author', 'author.id', 'entry.author_user_id')
    .where('entry.organization_id', '=', organizationId)
    .where('entry.deleted_at', 'is', null);
}

/** One entry, if it is there. */
export function findEntry(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<NamedEntry | undefined> {
  return entriesOf(from, organizationId)
    .selectAll('entry')
    .select('author.name as author_name')
    .where('entry.id', '=', id)
    .executeTakeFirst();
}

/** One entry that must be there. */
export async function requireEntry(from: Queryable, organizationId: string, id: string): Promise<NamedEntry> {
  const row = await findEntry(from, organizationId, id);
  if (row === undefined) throw notFound('Changelog entry');
  return row;
}

/** True once its time has come. */
export function isPublished({ published_at }: Pick<ChangelogRow, 'published_at'>, now: number): boolean {
  return published_at !== null && published_at <= now;
}

/** Turns rows into what surfaces show, with their posts in one query. */
export async function toEntries(
  from: Queryable,
  organizationId: string,
  rows: readonly NamedEntry[],
  now: number,
): Promise<ChangelogEntry[]> {
  const links = await linksOf(
    from,
    organizationId,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toEntry(row, links.get(row.id) ?? [], now));
}

/** The same for one row. */
export async function entryOf(from: Queryable, row: NamedEntry, now: number): Promise<ChangelogEntry> {
  const links = await linksOf(from, row.organization_id, [row.id]);
  return toEntry(row, links.get(row.id) ?? [], now);
}

function toEntry(row: NamedEntry, linkedPostIds: string[], now: number): ChangelogEntry {
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    state: row.published_at === null ? 'draft' : isPublished(row, now) ? 'published' : 'scheduled',
    publishedAt: isoOrNull(row.published_at),
    labels: fromJson<string[]>(row.labels),
    linkedPostIds,
    authorName: row.author_name,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}

async function linksOf(
  from: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (ids.length === 0) return found;
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_changelog_posts')
    .select(['changelog_id', 'post_id'])
    .where('organization_id', '=', organizationId)
    .where('changelog_id', 'in', ids)
    .orderBy('position')
    .execute();
  for (const { changelog_id: id, post_id } of rows) found.set(id, [...(found.get(id) ?? []), post_id]);
  return found;
}

/** Replaces the posts that an entry is about, in the given order; absent leaves them. */
export async function linkPosts(
  { tx, actor }: Change,
  changelogId: string,
  postIds: readonly string[] | undefined,
): Promise<void> {
  if (postIds === undefined) return;
  const { organizationId } = actor;
  const wanted = [...new Set(postIds.map((id) => checkId('post', id)))];
  await requirePosts(tx, organizationId, wanted);
  const db = tx.db<FeedbackTables>();
  await db
    .deleteFrom('feedback_changelog_posts')
    .where('organization_id', '=', organizationId)
    .where('changelog_id', '=', changelogId)
    .execute();
  if (wanted.length === 0) return;
  const rows = wanted.map((postId, position) => ({
    organization_id: organizationId,
    changelog_id: changelogId,
    post_id: postId,
    position,
  }));
  await db.insertInto('feedback_changelog_posts').values(rows).execute();
}

async function requirePosts(from: Queryable, organizationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_posts')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute();
  if (found.length !== ids.length) throw notFound('Post');
}
