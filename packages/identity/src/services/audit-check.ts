/** Looks whether the audit log is whole: every entry as it was written, none missing, none put in between. */
import type { Queryable, Store } from '@parley/store';
import type { AuditRow, IdentityTables } from '../schema.ts';
import { hashOf } from './audit.ts';

/** What the check found. */
export interface AuditCheck {
  readonly entries: number;
  /** The first entry of each organization that does not fit the one before it. */
  readonly broken: readonly { readonly organizationId: string; readonly seq: number }[];
}

const PAGE = 1000;

/** Walks every chain from its oldest entry to its end, or that of one organization. */
export function checkAudit(store: Store, organizationId?: string): Promise<AuditCheck> {
  return store.snapshot(async (from) => {
    const db = from.db<IdentityTables>();
    const isOne = organizationId !== undefined;
    const heads = await db
      .selectFrom('audit_heads')
      .selectAll()
      .$if(isOne, (all) => all.where('organization_id', '=', organizationId ?? ''))
      .execute();
    const headless = await db
      .selectFrom('audit_log')
      .select('organization_id')
      .distinct()
      .where('organization_id', 'not in', (known) =>
        known.selectFrom('audit_heads').select('organization_id'),
      )
      .$if(isOne, (all) => all.where('organization_id', '=', organizationId ?? ''))
      .execute();
    const broken = headless.map((row) => ({ organizationId: row.organization_id, seq: 0 }));
    let entries = 0;
    for (const head of heads) {
      const { count, brokenAt } = await walk(from, head);
      entries += count;
      if (brokenAt !== undefined) broken.push({ organizationId: head.organization_id, seq: brokenAt });
    }
    return { entries, broken };
  });
}

interface Ends {
  readonly organization_id: string;
  readonly seq: number;
  readonly hash: string;
  readonly first_seq: number;
  readonly first_prev_hash: string;
}

async function walk(from: Queryable, head: Ends): Promise<{ count: number; brokenAt?: number }> {
  let last: Pick<AuditRow, 'seq' | 'hash'> = { seq: head.first_seq - 1, hash: head.first_prev_hash };
  for (let count = 0; ;) {
    const rows = await pageAfter(from, head.organization_id, last.seq);
    for (const row of rows) {
      if (!follows(row, last)) return { count, brokenAt: row.seq };
      last = row;
      count += 1;
    }
    if (rows.length === PAGE) continue;
    const isWhole = last.seq === head.seq && last.hash === head.hash;
    return isWhole ? { count } : { count, brokenAt: head.seq };
  }
}

function follows(row: AuditRow, last: Pick<AuditRow, 'seq' | 'hash'>): boolean {
  return hashOf(row) === row.hash && row.seq === last.seq + 1 && row.prev_hash === last.hash;
}

function pageAfter(from: Queryable, organizationId: string, seq: number): Promise<AuditRow[]> {
  return from
    .db<IdentityTables>()
    .selectFrom('audit_log')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(PAGE)
    .execute();
}
