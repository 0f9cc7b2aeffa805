/** How often something was used, counted in the database so that all processes count as one. */
import { ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { OutsideTables, UseRow } from './schema.ts';

/** What is counted together. */
export interface Use {
  readonly organizationId: string;
  readonly kind: string;
  readonly subject: string;
}

export type RecentUse = Pick<UseRow, 'target' | 'created_at'>;

export interface Uses {
  /** Asks with the uses of the last while, newest first; notes a use for each target that `decide` returns. */
  admit(
    use: Use,
    keepMs: number,
    decide: (recent: readonly RecentUse[], now: number) => readonly string[],
  ): Promise<void>;
  /** Counts uses; throws `rate_limited` when they are too many within the span. */
  take(use: Use, rate: Rate): Promise<void>;
}

export interface Rate {
  readonly limit: number;
  readonly spanMs: number;
  /** How many at once; 1 by default. */
  readonly count?: number;
  /** What is limited, as in "60 searches an hour". */
  readonly what: string;
}

const PURGE = 'agent.uses purge';
const PURGE_BATCH = 200;

export function createUses(store: Store, now: () => number): Uses {
  const admit: Uses['admit'] = ({ organizationId, kind, subject }, keepMs, decide) =>
    store.transaction(async (tx) => {
      await tx.exclusive(`agent.uses ${organizationId} ${kind} ${subject}`);
      const at = now();
      const recent = await tx
        .db<OutsideTables>()
        .selectFrom('agent_uses')
        .select(['target', 'created_at'])
        .where('organization_id', '=', organizationId)
        .where('kind', '=', kind)
        .where('subject', '=', subject)
        .where('created_at', '>', at - keepMs)
        .orderBy('created_at', 'desc')
        .execute();
      const rows = decide(recent, at).map((target) => ({
        id: typeId('use', at),
        organization_id: organizationId,
        kind,
        subject,
        target,
        created_at: at,
        expires_at: at + keepMs,
      }));
      if (rows.length > 0) await tx.db<OutsideTables>().insertInto('agent_uses').values(rows).execute();
      await purge(tx, at);
    });
  return {
    admit,
    take: (use, { limit, spanMs, count = 1, what }) =>
      admit(use, spanMs, (recent, at) => {
        if (recent.length + count <= limit) return Array.from({ length: count }, () => '');
        // So many have to leave before these fit.
        const leaving = recent.at(-(recent.length + count - limit)) ?? recent[0];
        const waitMs = (leaving?.created_at ?? at) + spanMs - at;
        throw tooMany(what, Math.max(1, Math.ceil(waitMs / 1000)));
      }),
  };
}

function tooMany(what: string, seconds: number): ToolError {
  const message = `The limit is ${what}. Try again in ${seconds} seconds.`;
  return new ToolError('rate_limited', message, { retry_after: seconds });
}

/** What counts no more goes, of those too who never come again. */
async function purge(tx: StoreTransaction, at: number): Promise<void> {
  if (!(await tx.tryExclusive(PURGE))) return;
  const db = tx.db<OutsideTables>();
  const old = db.selectFrom('agent_uses').select('id').where('expires_at', '<=', at).limit(PURGE_BATCH);
  await db.deleteFrom('agent_uses').where('id', 'in', old).execute();
}
