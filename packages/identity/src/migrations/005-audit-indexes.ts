/** Ways into a long audit log: by time, and by whoever acted, what was done and what it was done to. */
import type { Migration } from '@parley/store';

const COLUMNS = ['caller_id', 'user_id', 'action', 'target', 'outcome'] as const;

export const addAuditIndexes: Migration = async (db) => {
  await db.schema
    .createIndex('audit_log_by_time')
    .on('audit_log')
    .columns(['organization_id', 'at', 'seq'])
    .execute();
  for (const column of COLUMNS)
    await db.schema
      .createIndex(`audit_log_by_${column}`)
      .on('audit_log')
      .columns(['organization_id', column, 'at', 'seq'])
      .execute();
};
