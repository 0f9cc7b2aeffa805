/** The first start: one organization, one owner, one owner key. */
import { ALL_GRANTS } from '@parley/kit';
import type { Store } from '@parley/store';
import type { IdentityTables } from '../schema.ts';
import { insertKey } from './keys.ts';
import type { Seed } from './organizations.ts';
import { createOrganization } from './organizations.ts';

const FIRST_ORGANIZATION = { slug: 'default', name: 'Default', owner: { name: 'Owner', email: null } };

/** False when somebody else was first. */
export async function bootstrap(
  store: Store,
  keep: (keyText: string) => Promise<void>,
  { now, seed }: { readonly now: number; readonly seed: Seed },
): Promise<boolean> {
  const hasOrganization = (from: Pick<Store, 'db'>) =>
    from.db<IdentityTables>().selectFrom('organizations').select('id').limit(1).executeTakeFirst();
  if ((await hasOrganization(store)) !== undefined) return false;
  try {
    return await store.transaction(async (tx) => {
      if ((await hasOrganization(tx)) !== undefined) return false;
      const owner = await createOrganization(tx, FIRST_ORGANIZATION, { now, seed });
      const { text } = await insertKey(
        tx,
        owner,
        { name: 'Owner key', grants: ALL_GRANTS, expiresAt: null },
        now,
      );
      // Kept before the commit: a key that exists but that nobody has would lock the owner out.
      await keep(text);
      return true;
    });
  } catch (error) {
    // On PostgreSQL two first starts may pass the check together; the slug lets only one of them commit.
    if ((await hasOrganization(store)) !== undefined) return false;
    throw error;
  }
}
