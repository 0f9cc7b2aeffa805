/** The project that every organization has: where it is administered. */
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { MeshTables, ProjectRow } from '../schema.ts';

/** Its slug, which no other project can have. */
export const ADMIN_PROJECT = 'org-admin';

/** The row of an organization's project `org-admin`. */
export function adminProject(organizationId: string, now: number): ProjectRow {
  return {
    id: typeId('proj', now),
    organization_id: organizationId,
    slug: ADMIN_PROJECT,
    name: 'Organization admin',
    description: null,
    enabled_plugins: null,
    ui: null,
    created_at: now,
    updated_at: now,
  };
}

/** Gives a new organization its project `org-admin`, in the transaction that makes it; twice is as once. */
export async function seedAdminProject(
  tx: StoreTransaction,
  organizationId: string,
  now: number = Date.now(),
): Promise<void> {
  await tx
    .db<MeshTables>()
    .insertInto('projects')
    .values(adminProject(organizationId, now))
    .onConflict((conflict) => conflict.columns(['organization_id', 'slug']).doNothing())
    .execute();
}
