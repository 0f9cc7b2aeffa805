/** The connection to the server itself, for organizations that are there already. */
import type { Migration } from '@parley/store';
import { toJson } from '@parley/store';

export const seedSelfConnections: Migration = async (db) => {
  const organizations: { id: string; created_at: number }[] = await db
    .selectFrom('organizations')
    .select(['id', 'created_at'])
    .execute();
  for (const { id, created_at } of organizations) {
    await db
      .insertInto('connections')
      .values({
        id: `${id}_self`,
        organization_id: id,
        title: 'Parley',
        description: 'The management tools of this organization.',
        connection_type: 'VIRTUAL',
        connection_url: `virtual://${id}_self`,
        metadata: toJson({ isFixed: true }),
        status: 'active',
        catalog: toJson({ fetched_at: null, stale: false, last_error: null }),
        created_at,
        updated_at: created_at,
        created_by: 'system',
      })
      .execute();
  }
};
