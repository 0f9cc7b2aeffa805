/** Comments, votes, reactions, subscriptions and the activity of posts. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

/** Creates what people do with a post. */
export const createConversation: Migration = async (db, engine) => {
  await createComments(db, engine);
  await createVotes(db, engine);
  await createTraces(db, engine);
};

const createComments: Migration = async (db) => {
  await db.schema
    .createTable('feedback_comments')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addColumn('parent_id', 'text')
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('author_member_id', 'text', (column) => column.notNull())
    .addColumn('author_user_id', 'text', (column) => column.notNull())
    .addColumn('agent_name', 'text')
    .addColumn('is_team_member', 'integer', (column) => column.notNull())
    .addColumn('is_private', 'integer', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('edited_at', epochMsColumn)
    .addColumn('deleted_at', epochMsColumn)
    .addPrimaryKeyConstraint('feedback_comments_pk', ['organization_id', 'id'])
    .execute();
  await db.schema
    .createIndex('feedback_comments_post')
    .on('feedback_comments')
    .columns(['organization_id', 'post_id', 'created_at', 'id'])
    .execute();
  await db.schema
    .createIndex('feedback_comments_parent')
    .on('feedback_comments')
    .columns(['organization_id', 'parent_id'])
    .execute();
  await db.schema
    .createIndex('feedback_comments_author')
    .on('feedback_comments')
    .columns(['organization_id', 'author_user_id'])
    .execute();
  await db.schema
    .createTable('feedback_reactions')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('comment_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text', (column) => column.notNull())
    .addColumn('emoji', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_reactions_pk', ['organization_id', 'comment_id', 'member_id', 'emoji'])
    .execute();
};

const createVotes: Migration = async (db) => {
  await db.schema
    .createTable('feedback_votes')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text', (column) => column.notNull())
    .addColumn('via_post_id', 'text', (column) => column.notNull())
    .addColumn('source', 'text')
    .addColumn('proxy_member_id', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_votes_pk', ['organization_id', 'post_id', 'member_id'])
    .execute();
  await db.schema
    .createIndex('feedback_votes_member')
    .on('feedback_votes')
    .columns(['organization_id', 'member_id'])
    .execute();
};

const createTraces: Migration = async (db) => {
  await db.schema
    .createTable('feedback_subscriptions')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_subscriptions_pk', ['organization_id', 'post_id', 'member_id'])
    .execute();
  await db.schema
    .createTable('feedback_activity')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('agent_name', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('from_value', 'text')
    .addColumn('to_value', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_activity_pk', ['organization_id', 'id'])
    .execute();
  await db.schema
    .createIndex('feedback_activity_post')
    .on('feedback_activity')
    .columns(['organization_id', 'post_id', 'created_at', 'id'])
    .execute();
};
