/** How long messages, watchers and sessions are kept: what was refused for a week, what is over for 90 days. */
import type { Store } from '@parley/store';
import type { SessionTables } from '../sessions/schema.ts';
import type { MessageTables } from './schema.ts';

const DAY_MS = 86_400_000;
const REFUSED_MS = 7 * DAY_MS;
const KEPT_MS = 90 * DAY_MS;
const BATCH = 500;

/** Deletes what is too old, a batch of each kind. */
export async function sweepMessages(store: Store, at: number): Promise<void> {
  const db = store.db<MessageTables & SessionTables>();
  const old = db
    .selectFrom('agent_messages')
    .select('id')
    .where((where) =>
      where.or([
        where('updated_at', '<', at - KEPT_MS),
        where.and([where('accepted_at', 'is', null), where('updated_at', '<', at - REFUSED_MS)]),
      ]),
    )
    .limit(BATCH);
  await db.deleteFrom('agent_messages').where('id', 'in', old).execute();
  await db.deleteFrom('agent_watchers').where('until', '<', at).execute();
  const over = db
    .selectFrom('agent_sessions')
    .select('id')
    .where('updated_at', '<', at - KEPT_MS)
    .limit(BATCH);
  await db.deleteFrom('agent_sessions').where('id', 'in', over).execute();
}
