/** The audit log as people read it: who may, and what an entry looks like. */
import type { AuditItem } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { hiddenReason, mayAdminister } from '@parley/kit';
import { MANAGEMENT } from './name.ts';

/** The right that grants give, as `self:audit_read`. */
export const AUDIT_READ = 'audit_read';

/** People who administer have it, where their key does; no agent has, whoever's it is. */
export const AUDIT_GUARD = {
  name: AUDIT_READ,
  available: (_services: unknown, caller: Caller) => mayAdminister(caller) && caller.agent === undefined,
};

/** The same for whoever reads it without a route. */
export function mayReadAudit(caller: Caller): boolean {
  const available = (who: Caller) => AUDIT_GUARD.available(undefined, who);
  return hiddenReason({ toolset: MANAGEMENT, name: AUDIT_READ, available }, caller) === undefined;
}

/** An entry as routes and commands show it. */
export interface ShownAuditEntry extends Omit<AuditItem, 'at' | 'changed'> {
  /** As ISO time. */
  readonly at: string;
  readonly changed: Record<string, unknown>;
}

export function shownAuditEntry({ seq, id, at, changed, ...entry }: AuditItem): ShownAuditEntry {
  return { seq, id, at: new Date(at).toISOString(), ...entry, changed: { ...changed } };
}
