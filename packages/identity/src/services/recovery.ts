/** A new owner key for a person who can open the database itself and has no key that works. */
import { ALL_GRANTS, ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import type { IdentityTables } from '../schema.ts';
import type { AuditMoment } from './audit.ts';
import { writeAudit } from './audit.ts';
import type { KeyInfo } from './keys.ts';
import { insertKey } from './keys.ts';

/** Makes a key with everything for the first owner of the first organization, handed to `keep` before it is committed. */
export async function recoverOwnerKey(
  store: Store,
  keep: (keyText: string) => Promise<void>,
  moment: AuditMoment,
): Promise<{ info: KeyInfo; organizationId: string }> {
  return store.transaction(async (tx) => {
    const owner = await tx
      .db<IdentityTables>()
      .selectFrom('member_roles')
      .innerJoin('members', 'members.id', 'member_roles.member_id')
      .innerJoin('organizations', 'organizations.id', 'members.organization_id')
      .select(['members.organization_id as organizationId', 'members.user_id as userId'])
      .where('member_roles.role', '=', 'owner')
      .orderBy('organizations.created_at')
      .orderBy('organizations.id')
      .orderBy('members.created_at')
      .orderBy('members.id')
      .executeTakeFirst();
    if (owner === undefined)
      throw new ToolError('not_found', 'There is no owner in this database yet. Run "parley start" first.');
    const input = { name: 'Recovered owner key', grants: ALL_GRANTS, expiresAt: null };
    const { info, text } = await insertKey(tx, owner, input, moment.now);
    const caller = { ...owner, id: info.id, source: 'cli' } as const;
    await writeAudit(tx, { caller, action: 'key.recovered', target: info.id }, moment);
    await keep(text);
    return { info, organizationId: owner.organizationId };
  });
}
