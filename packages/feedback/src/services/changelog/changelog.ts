/** The changelog: what the team tells about finished work. A draft has no time, a scheduled entry a future one. */
import { typeId } from '@parley/kit';
import { toJson } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { notFound } from '../../faults.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { ChangelogEntry, CreateChangelog, PatchChangelog } from '../../shapes/nouns.ts';
import type { Page, PageQuery } from '../../shapes/posts.ts';
import { listChangelog } from './list.ts';
import type { ChangelogPublication } from './publication.ts';
import { createPublication } from './publication.ts';
import type { NamedEntry } from './rows.ts';
import { entryOf, linkPosts, requireEntry } from './rows.ts';
import { hold, laterThan } from '../hold.ts';
import { dateOf } from '../posts/filter.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** What can be done with the changelog; the team reads, administrators write. */
export interface ChangelogService {
  /** The newest first; `published: false` means drafts and scheduled entries. */
  list(
    actor: Actor,
    query: PageQuery & { readonly published?: boolean | undefined; readonly search?: string | undefined },
  ): Promise<Page<ChangelogEntry>>;
  get(actor: Actor, id: string): Promise<ChangelogEntry>;
  create(actor: Actor, input: CreateChangelog): Promise<ChangelogEntry>;
  update(
    actor: Actor,
    id: string,
    patch: PatchChangelog,
    check?: CheckCurrent<ChangelogEntry>,
  ): Promise<ChangelogEntry>;
  delete(actor: Actor, id: string, check?: CheckCurrent<ChangelogEntry>): Promise<void>;
}

export function createChangelog(base: Base): ChangelogService {
  const publication = createPublication(base);
  return {
    async list(actor, query) {
      return listChangelog(base, actor.organizationId, query);
    },
    async get(actor, id) {
      const row = await requireEntry(base.store, actor.organizationId, checkId('changelog', id));
      return entryOf(base.store, row, base.now());
    },
    async create(actor, input) {
      return change(base, actor, (current) => insertEntry(current, publication, input));
    },
    async update(actor, id, patch, check) {
      checkId('changelog', id);
      return change(base, actor, async (current) => {
        await hold(current, 'feedback_changelog', id);
        const before = await requireEntry(current.tx, actor.organizationId, id);
        check?.(await entryOf(current.tx, before, current.now));
        return updateEntry(current, publication, before, patch);
      });
    },
    async delete(actor, id, check) {
      checkId('changelog', id);
      return change(base, actor, async (current) => {
        await hold(current, 'feedback_changelog', id);
        const before = await requireEntry(current.tx, actor.organizationId, id);
        check?.(await entryOf(current.tx, before, current.now));
        await deleteEntry(current, id);
      });
    },
  };
}

async function insertEntry(
  current: Change,
  publication: ChangelogPublication,
  input: CreateChangelog,
): Promise<ChangelogEntry> {
  const { tx, now, actor, touch } = current;
  const id = typeId('changelog', now);
  await tx
    .db<FeedbackTables>()
    .insertInto('feedback_changelog')
    .values({
      organization_id: actor.organizationId,
      id,
      title: input.title,
      content: input.content,
      labels: toJson(input.labels ?? []),
      author_user_id: actor.userId,
      published_at: dateOf('publishedAt', input.publishedAt ?? undefined, 0) ?? null,
      announced_at: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    })
    .execute();
  await linkPosts(current, id, input.linkedPostIds);
  await touch('changelog');
  const row = await requireEntry(tx, actor.organizationId, id);
  await publication.follow(current, row, null);
  return entryOf(tx, row, now);
}

async function updateEntry(
  current: Change,
  publication: ChangelogPublication,
  before: NamedEntry,
  { title, content, labels, publishedAt, linkedPostIds }: PatchChangelog,
): Promise<ChangelogEntry> {
  const { tx, now, actor, touch } = current;
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_changelog')
    .set({
      ...(title !== undefined && { title }),
      ...(content !== undefined && { content }),
      ...(labels !== undefined && { labels: toJson(labels) }),
      ...(publishedAt !== undefined && {
        published_at: dateOf('publishedAt', publishedAt ?? undefined, 0) ?? null,
      }),
      updated_at: laterThan(before.updated_at, now),
    })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', before.id)
    .execute();
  await linkPosts(current, before.id, linkedPostIds);
  await touch('changelog');
  const row = await requireEntry(tx, actor.organizationId, before.id);
  await publication.follow(current, row, before.published_at);
  return entryOf(tx, row, now);
}

async function deleteEntry({ tx, now, actor, touch }: Change, id: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .db<FeedbackTables>()
    .updateTable('feedback_changelog')
    .set({ deleted_at: now })
    .where('organization_id', '=', actor.organizationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound('Changelog entry');
  await touch('changelog');
}
