/** Which site is published, and which of its boards and statuses everybody may see. */
import type { IdentityTables } from '@parley/identity';
import type { Queryable } from '@parley/store';
import type { FeedbackTables } from '../../schema.ts';
import type { PublicBoard, PublicSite, PublicStatus } from './shapes.ts';

/** The site of an organization; undefined until its owner has switched publication on. */
export async function publicSite(from: Queryable, organizationId: string): Promise<PublicSite | undefined> {
  const row = await from
    .db<FeedbackTables & IdentityTables>()
    .selectFrom('feedback_settings as setting')
    .innerJoin('organizations as organization', 'organization.id', 'setting.organization_id')
    .leftJoin('feedback_site_images as logo', (join) =>
      join.onRef('logo.organization_id', '=', 'setting.organization_id').on('logo.kind', '=', 'logo'),
    )
    .leftJoin('feedback_site_images as icon', (join) =>
      join.onRef('icon.organization_id', '=', 'setting.organization_id').on('icon.kind', '=', 'favicon'),
    )
    .select(['organization.name', 'setting.site_name', 'setting.accent_color'])
    .select(['logo.version as logo', 'icon.version as favicon'])
    .where('setting.organization_id', '=', organizationId)
    .where('setting.is_published', '=', 1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { name, site_name, accent_color, logo, favicon } = row;
  return { organizationId, name: site_name ?? name, accentColor: accent_color, logo, favicon };
}

/** The public boards in their order, by name where they share a place, with how many posts everybody can see on each. */
export async function publicBoards(from: Queryable, organizationId: string): Promise<PublicBoard[]> {
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_boards as board')
    .leftJoin('feedback_post_counts as counted', (join) =>
      join
        .onRef('counted.organization_id', '=', 'board.organization_id')
        .onRef('counted.board_id', '=', 'board.id')
        .on('counted.state', '=', 'listed'),
    )
    .select(({ fn }) => [
      'board.id',
      'board.name',
      'board.slug',
      'board.description',
      fn.sum<number | string | null>('counted.posts').as('posts'),
    ])
    .where('board.organization_id', '=', organizationId)
    .where('board.is_public', '=', 1)
    .where('board.deleted_at', 'is', null)
    .groupBy(['board.id', 'board.name', 'board.slug', 'board.description', 'board.position'])
    .orderBy('board.position')
    .orderBy('board.name')
    .orderBy('board.id')
    .execute();
  return rows.map(({ posts, ...board }) => ({ ...board, postCount: Number(posts ?? 0) }));
}

/** A status with its id and whether roadmaps have a column for it. */
export interface StatusEntry extends PublicStatus {
  readonly id: string;
  readonly isOnRoadmap: boolean;
}

const CATEGORY_ORDER = ['active', 'complete', 'closed'];

/** Every status, in the order of lists. */
export async function publicStatuses(from: Queryable, organizationId: string): Promise<StatusEntry[]> {
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_statuses')
    .select(['id', 'name', 'slug', 'color', 'category', 'position', 'show_on_roadmap'])
    .where('organization_id', '=', organizationId)
    .orderBy('position')
    .orderBy('id')
    .execute();
  return rows
    .toSorted((a, b) => CATEGORY_ORDER.indexOf(a.category) - CATEGORY_ORDER.indexOf(b.category))
    .map(({ id, name, slug, color, show_on_roadmap }) => ({
      id,
      name,
      slug,
      color,
      isOnRoadmap: show_on_roadmap === 1,
    }));
}
