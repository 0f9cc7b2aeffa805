/** Lanterns in a table. */
import type { Store } from '@parley/store';
import type { Generated } from 'kysely';

interface LanternTables {
  lanterns: { id: Generated<number>; organization_id: string; oil: number };
}

/** What tools and routes stand on. */
export interface Lanterns {
  light(organizationId: string): Promise<{ oil: number }>;
  count(organizationId: string): Promise<{ lit: number }>;
}

/** Lanterns that get this much oil. */
export function createLanterns(store: Store, oil: number): Lanterns {
  return {
    async light(organizationId) {
      await store
        .db<LanternTables>()
        .insertInto('lanterns')
        .values({ organization_id: organizationId, oil })
        .execute();
      return { oil };
    },
    async count(organizationId) {
      const rows = await store
        .db<LanternTables>()
        .selectFrom('lanterns')
        .select('id')
        .where('organization_id', '=', organizationId)
        .execute();
      return { lit: rows.length };
    },
  };
}
