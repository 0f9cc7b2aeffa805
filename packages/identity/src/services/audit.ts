/** The audit log: who changed what, written in the transaction of the change; each entry holds the hash of the one before. */
import { hash } from 'node:crypto';
import type { Caller } from '@parley/kit';
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { toJson } from '@parley/store';
import type { AuditRow, IdentityTables } from '../schema.ts';

/** Who acts: a caller, with the request it came by where that is known. */
export type AuditCaller = Pick<Caller, 'id' | 'organizationId' | 'userId' | 'source'> & {
  readonly requestId?: string | null;
};

/** One act. */
export interface AuditEntry {
  readonly caller: AuditCaller;
  /** Noun and verb, such as `key.created`. */
  readonly action: string;
  /** The id or the name of what it was done to. */
  readonly target: string;
  /** What is different now; never a secret. */
  readonly changed?: Readonly<Record<string, unknown>>;
  /** `ok` by default. */
  readonly outcome?: AuditRow['outcome'];
}

/** Hears of an act in its transaction. */
export type AuditFollower = (tx: StoreTransaction, entry: AuditEntry) => Promise<void>;

/** When an act happens, and who hears of it. */
export interface AuditMoment {
  readonly now: number;
  readonly tell?: AuditFollower;
}

/** What other parts write their acts down with. */
export interface AuditLog {
  write(tx: StoreTransaction, entry: AuditEntry): Promise<void>;
}

const MAX_TARGET_LENGTH = 256;
const MAX_CHANGED_LENGTH = 8 * 1024;

/** Adds an entry to the end of its organization's chain; entries of one organization take turns. */
export async function writeAudit(
  tx: StoreTransaction,
  entry: AuditEntry,
  { now, tell }: AuditMoment,
): Promise<void> {
  const db = tx.db<IdentityTables>();
  const { caller, action, outcome = 'ok' } = entry;
  const { organizationId: organization_id } = caller;
  const head = await db
    .insertInto('audit_heads')
    .values({ organization_id, seq: 1, hash: '' })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet((row) => ({ seq: row('audit_heads.seq', '+', 1) })),
    )
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow();
  const row: Omit<AuditRow, 'hash'> = {
    organization_id,
    seq: head.seq,
    id: typeId('audit', now),
    at: now,
    caller_id: caller.id,
    user_id: caller.userId,
    source: caller.source,
    request_id: textWithin(caller.requestId ?? null),
    action,
    target: textWithin(entry.target) ?? '',
    changed: changedText(entry.changed ?? {}),
    outcome,
    prev_hash: head.hash,
  };
  const own = hashOf(row);
  await db
    .insertInto('audit_log')
    .values({ ...row, hash: own })
    .execute();
  await db
    .updateTable('audit_heads')
    .set({ hash: own })
    .where('organization_id', '=', organization_id)
    .execute();
  await tell?.(tx, entry);
}

/** The hash that a row must have. */
export function hashOf(row: Omit<AuditRow, 'hash'>): string {
  const { prev_hash, organization_id, seq, id, at, caller_id, user_id, source, request_id } = row;
  const { action, target, changed, outcome } = row;
  const who = [caller_id, user_id, source, request_id];
  return hash(
    'sha256',
    toJson([prev_hash, organization_id, seq, id, at, ...who, action, target, changed, outcome]),
  );
}

// PostgreSQL refuses a zero character, and an act must not fail because of the name it was done to.
function textWithin(text: string | null): string | null {
  return text === null ? null : text.slice(0, MAX_TARGET_LENGTH).replaceAll('\0', '').toWellFormed();
}

function changedText(changed: Readonly<Record<string, unknown>>): string {
  const text = toJson(changed);
  return text.length <= MAX_CHANGED_LENGTH ? text : toJson({ fields: Object.keys(changed).slice(0, 50) });
}
