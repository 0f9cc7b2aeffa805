/** Roadmaps and the changelog. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

/** Creates what the team tells about posts. */
export const createPlans: Migration = async (db) => {
  await db.schema
    .createTable('feedback_roadmaps')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('is_public', 'integer', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_roadmaps_pk', ['organization_id', 'id'])
    .addUniqueConstraint('feedback_roadmaps_slug', ['organization_id', 'slug'])
    .execute();
  await db.schema
    .createTable('feedback_roadmap_posts')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('roadmap_id', 'text', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_roadmap_posts_pk', ['organization_id', 'roadmap_id', 'post_id'])
    .execute();
  await db.schema
    .createIndex('feedback_roadmap_posts_position')
    .on('feedback_roadmap_posts')
    .columns(['organization_id', 'roadmap_id', 'position', 'post_id'])
    .execute();
  await db.schema
    .createIndex('feedback_roadmap_posts_post')
    .on('feedback_roadmap_posts')
    .columns(['organization_id', 'post_id'])
    .execute();
  await db.schema
    .createTable('feedback_changelog')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('author_user_id', 'text', (column) => column.notNull())
    .addColumn('published_at', epochMsColumn)
    .addColumn('announced_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('deleted_at', epochMsColumn)
    .addPrimaryKeyConstraint('feedback_changelog_pk', ['organization_id', 'id'])
    .execute();
  await db.schema
    .createIndex('feedback_changelog_created')
    .on('feedback_changelog')
    .columns(['organization_id', 'created_at', 'id'])
    .execute();
  await db.schema
    .createTable('feedback_changelog_posts')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('changelog_id', 'text', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_changelog_posts_pk', ['organization_id', 'changelog_id', 'post_id'])
    .execute();
};
