/** The tags of people as labels of their calls: looked up per organization, and remembered for a short time. */
import type { IdentityTables } from '@parley/identity';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { MeshTables } from '../schema.ts';

/** The tags of a user, joined by commas; undefined without one, and while they are looked up for the first time. */
export type TagsOf = (organizationId: string, userId: string) => string | undefined;

const KEPT_MS = 10_000;
const MOST_ORGANIZATIONS = 1_000;

interface Known {
  at: number;
  byUser: ReadonlyMap<string, string>;
}

export function createTagLabels(
  store: Store,
  onFault: (error: unknown) => void,
  now: () => number = Date.now,
): TagsOf {
  const known = new Map<string, Known>();
  const learn = async (organizationId: string) => {
    const byUser = await tagsByUser(store, organizationId);
    known.set(organizationId, { at: now(), byUser });
  };
  return (organizationId, userId) => {
    const found = known.get(organizationId);
    if (found === undefined || now() - found.at > KEPT_MS) {
      if (known.size >= MOST_ORGANIZATIONS) known.clear();
      // Marked as known, so that the calls until then ask for it once.
      known.set(organizationId, { at: now(), byUser: found?.byUser ?? new Map() });
      detach(learn(organizationId), onFault);
    }
    return found?.byUser.get(userId);
  };
}

async function tagsByUser(store: Store, organizationId: string): Promise<Map<string, string>> {
  const rows = await store
    .db<MeshTables & IdentityTables>()
    .selectFrom('member_tags')
    .innerJoin('members', 'members.id', 'member_tags.member_id')
    .innerJoin('organization_tags', 'organization_tags.id', 'member_tags.tag_id')
    .select(['members.user_id as userId', 'organization_tags.name as name'])
    .where('member_tags.organization_id', '=', organizationId)
    .orderBy('organization_tags.name_key')
    .execute();
  const byUser = new Map<string, string>();
  for (const { userId, name } of rows) {
    const before = byUser.get(userId);
    byUser.set(userId, before === undefined ? name : `${before},${name}`);
  }
  return byUser;
}
