/** Pages of the changelog. */
import { sql } from 'kysely';
import type { CursorScope } from '../../cursor.ts';
import type { ChangelogEntry } from '../../shapes/nouns.ts';
import type { Page, PageQuery } from '../../shapes/posts.ts';
import type { NamedEntry } from './rows.ts';
import { entriesOf, toEntries } from './rows.ts';
import { pageOf, startOf } from '../paging.ts';
import type { Base } from '../write.ts';

/** Entries, the newest first unless it is said otherwise; all of them, or only those that are published, or only the others. */
export async function listChangelog(
  { store, now }: Pick<Base, 'store' | 'now'>,
  organizationId: string,
  query: PageQuery & {
    readonly published?: boolean | undefined;
    readonly search?: string | undefined;
    readonly order?: 'asc' | 'desc' | undefined;
  },
): Promise<Page<ChangelogEntry>> {
  const { published, search, limit, order = 'desc' } = query;
  const beyond = sql.raw(order === 'asc' ? '>' : '<');
  const like = `%${(search ?? '').toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`;
  const scope: CursorScope = {
    entity: 'changelog',
    sort: order === 'asc' ? 'oldest' : 'newest',
    filter: { published, ...(search !== undefined && { search }) },
  };
  const start = startOf(scope, query);
  const at = now();
  const wanted = entriesOf(store, organizationId)
    .$if(published === true, (entries) => entries.where('entry.published_at', '<=', at))
    .$if(search !== undefined, (entries) =>
      entries.where(
        sql<boolean>`(lower(entry.title) like ${like} escape '!' or lower(entry.content) like ${like} escape '!')`,
      ),
    )
    .$if(published === false, (entries) =>
      entries.where(({ or, eb }) =>
        or([eb('entry.published_at', 'is', null), eb('entry.published_at', '>', at)]),
      ),
    );
  const { total } = await wanted
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows: NamedEntry[] = await wanted
    .selectAll('entry')
    .select('author.name as author_name')
    .$if(start !== undefined, (entries) =>
      entries.where(sql<boolean>`(entry.created_at, entry.id) ${beyond} (${start?.key}, ${start?.id})`),
    )
    .orderBy('entry.created_at', order)
    .orderBy('entry.id', order)
    .limit(limit + 1)
    .execute();
  const items = await toEntries(store, organizationId, rows.slice(0, limit), at);
  return pageOf(rows, {
    scope,
    limit,
    total,
    items,
    position: (row) => ({ key: row.created_at, id: row.id }),
  });
}
