/** Is the audit log as it was written: no entry changed, none missing. */
import { createIdentity, identityMigrations } from '@parley/identity';
import type { Config } from '../../config.ts';
import type { Check } from '../../health/check.ts';
import { hasDatabase, withStore } from './database.ts';

const FIX = 'Somebody changed the database by other means. Compare it with a backup from before.';

/** Walks the chain of every organization. */
export async function checkAuditLog(config: Config): Promise<Check[]> {
  const name = 'audit log';
  if (!(await hasDatabase(config))) return [];
  const check = await withStore(config, { name, needs: [identityMigrations] }, async (store) => {
    const identity = createIdentity(store);
    const { entries, broken } = await identity.audit.check();
    identity.close();
    const [first] = broken;
    if (first === undefined)
      return { name, state: 'ok', found: `${entries} entries, none changed or missing` };
    const found = `entry ${first.seq} of ${first.organizationId} was changed, or one before it is missing`;
    return { name, state: 'fail', found, fix: FIX };
  });
  return [check];
}
