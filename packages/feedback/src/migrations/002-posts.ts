/** Posts with their tags, their counts and their full-text index. */
import type { Migration } from '@parley/store';
import { byEngine, epochMsColumn, jsonColumn } from '@parley/store';
import { sql } from 'kysely';

/** Creates posts and what is derived from them. */
export const createPosts: Migration = async (db, engine) => {
  await createPostTable(db, engine);
  await createPostIndexes(db, engine);
  await createTagsAndCounts(db, engine);
  const derived = byEngine(engine, { sqlite: SQLITE_DERIVED, postgres: POSTGRES_DERIVED });
  for (const statement of derived) await sql.raw(statement).execute(db);
};

// Lists leave out what is deleted, merged or not published; the column keeps that rule in one place.
const STATE = sql<string>`case when deleted_at is not null then 'deleted'
  when merged_into_id is not null or moderation <> 'published' then 'hidden' else 'listed' end`;

const createPostTable: Migration = async (db, engine) => {
  const table = db.schema.createTable('feedback_posts');
  await byEngine(engine, {
    sqlite: () => table.addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement()),
    postgres: () => table.addColumn('seq', 'bigserial', (column) => column.primaryKey()),
  })()
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('board_id', 'text', (column) => column.notNull())
    .addColumn('status_id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('content_json', jsonColumn)
    .addColumn('author_member_id', 'text', (column) => column.notNull())
    .addColumn('author_user_id', 'text', (column) => column.notNull())
    .addColumn('agent_name', 'text')
    .addColumn('owner_member_id', 'text')
    .addColumn('vote_count', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('comment_count', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('vote_threshold', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('official_response', 'text')
    .addColumn('official_response_user_id', 'text')
    .addColumn('official_response_at', epochMsColumn)
    .addColumn('pinned_comment_id', 'text')
    .addColumn('merged_into_id', 'text')
    .addColumn('moderation', 'text', (column) => column.notNull().defaultTo('published'))
    .addColumn('search_title', 'text', (column) => column.notNull())
    .addColumn('search_content', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('deleted_at', epochMsColumn)
    .addColumn('state', 'text', (column) => column.generatedAlwaysAs(STATE).stored())
    .addUniqueConstraint('feedback_posts_id', ['organization_id', 'id'])
    .addCheckConstraint('feedback_posts_votes', sql`vote_count >= 0`)
    .execute();
};

/** Every sort with the filters that people use most: none, a board, a status. */
const createPostIndexes: Migration = async (db) => {
  for (const scope of ['organization_id', 'board_id', 'status_id'] as const) {
    for (const sort of ['created_at', 'vote_count'] as const) {
      await db.schema
        .createIndex(`feedback_posts_${scope}_${sort}`)
        .on('feedback_posts')
        .columns([...new Set(['organization_id', scope, 'state', sort, 'id'])])
        .execute();
    }
  }
  for (const column of ['merged_into_id', 'owner_member_id', 'author_user_id'] as const) {
    await db.schema
      .createIndex(`feedback_posts_${column}`)
      .on('feedback_posts')
      .columns(['organization_id', column])
      .where(sql.ref(column), 'is not', null)
      .execute();
  }
};

const createTagsAndCounts: Migration = async (db) => {
  await db.schema
    .createTable('feedback_post_tags')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addColumn('tag_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_post_tags_pk', ['organization_id', 'post_id', 'tag_id'])
    .execute();
  await db.schema
    .createIndex('feedback_post_tags_tag')
    .on('feedback_post_tags')
    .columns(['organization_id', 'tag_id', 'post_id'])
    .execute();
  await db.schema
    .createTable('feedback_post_counts')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('board_id', 'text', (column) => column.notNull())
    .addColumn('status_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('posts', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_post_counts_pk', ['organization_id', 'board_id', 'status_id', 'state'])
    .execute();
};

// One word per scope, so that the usual filters are answered by the index alone.
const scopeOf = (row: string) =>
  `substr(${row}.state, 1, 1) || substr(${row}.organization_id, 5) || ' b' || substr(${row}.board_id, 7) || ' s' || substr(${row}.status_id, 8)`;
const indexed = (row: string) => `${row}.seq, ${scopeOf(row)}, ${row}.search_title, ${row}.search_content`;
const COUNTED = 'organization_id, board_id, status_id, state';
const countOf = (row: string) =>
  COUNTED.split(', ')
    .map((column) => `${row}.${column}`)
    .join(', ');
const addCount = (row: string, by: number) =>
  `insert into feedback_post_counts (${COUNTED}, posts) values (${countOf(row)}, ${by})
   on conflict (${COUNTED}) do update set posts = feedback_post_counts.posts + excluded.posts;`;
const INDEX_COLUMNS = 'rowid, scope, title, content';
const REINDEXED = 'state, board_id, status_id, search_title, search_content';

const SQLITE_DERIVED = [
  // The index keeps no copy of the words: the row has them.
  `create virtual table feedback_posts_fts using fts5(scope, title, content, content='', contentless_delete=1, tokenize='porter unicode61')`,
  `create trigger feedback_posts_insert after insert on feedback_posts begin
     insert into feedback_posts_fts (${INDEX_COLUMNS}) values (${indexed('new')});
     ${addCount('new', 1)}
   end`,
  `create trigger feedback_posts_index after update on feedback_posts
   when ${REINDEXED.split(', ')
     .map((column) => `old.${column} is not new.${column}`)
     .join(' or ')} begin
     delete from feedback_posts_fts where rowid = old.seq;
     insert into feedback_posts_fts (${INDEX_COLUMNS}) values (${indexed('new')});
     ${addCount('old', -1)}
     ${addCount('new', 1)}
   end`,
  `create trigger feedback_posts_delete after delete on feedback_posts begin
     delete from feedback_posts_fts where rowid = old.seq;
     ${addCount('old', -1)}
   end`,
];

const POSTGRES_DERIVED = [
  // The stop word leaves a gap, so that no phrase reaches from the title into the content.
  `alter table feedback_posts add column search tsvector generated always as
     (to_tsvector('english', search_title) || to_tsvector('english', 'the ' || search_content)) stored`,
  `create index feedback_posts_search on feedback_posts using gin (search)`,
  // The rows are touched in one order, so that two changes in opposite directions cannot block each other.
  `create function feedback_count_posts() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       ${addCount('new', 1)}
     elsif tg_op = 'DELETE' then
       ${addCount('old', -1)}
     elsif (${countOf('old')}) < (${countOf('new')}) then
       ${addCount('old', -1)}
       ${addCount('new', 1)}
     elsif (${countOf('old')}) > (${countOf('new')}) then
       ${addCount('new', 1)}
       ${addCount('old', -1)}
     end if;
     return null;
   end $$`,
  `create trigger feedback_posts_count after insert or delete or update of deleted_at, merged_into_id, moderation, board_id, status_id
   on feedback_posts for each row execute function feedback_count_posts()`,
];
