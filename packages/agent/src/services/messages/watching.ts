/** Who watches an inbox: clients of this process are asked, those of others are written down for a while. */
import { randomUUID } from 'node:crypto';
import type { ChangeBus } from '@parley/kit';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import { isForeignKeyViolation } from '@parley/store';
import type { MessageTables } from './schema.ts';

/** The document that a watcher subscribes to. */
export const INBOX_URI = 'agent://inbox';

const TELL_EVERY_MS = 5000;
const TOLD_FOR_MS = 20_000;

export interface Watching {
  /** Those among the agents of an organization whose inbox somebody watches now. */
  watched(organizationId: string): Promise<ReadonlySet<string>>;
  /** Writes down that a caller of the REST API comes back for messages until then. */
  note(watcher: { organizationId: string; agentId: string; callerId: string }, until: number): Promise<void>;
  close(): Promise<void>;
}

export interface WatchingParts {
  readonly store: Store;
  readonly changes: Pick<ChangeBus, 'watchersOf'>;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

export function createWatching({ store, changes, now, onFault }: WatchingParts): Watching {
  const process = randomUUID();
  const db = () => store.db<MessageTables>();
  const here = () =>
    changes
      .watchersOf(INBOX_URI)
      .flatMap(({ agent, organizationId }) =>
        agent === undefined ? [] : [{ agentId: agent.id, organizationId }],
      );
  const write = async (id: string, of: { organizationId: string; agentId: string }, until: number) => {
    const row = { id, organization_id: of.organizationId, agent_id: of.agentId, until, created_at: now() };
    try {
      await db()
        .insertInto('agent_watchers')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ until }))
        .execute();
    } catch (error) {
      // The agent is gone, and its watchers learn so soon.
      if (!isForeignKeyViolation(error)) throw error;
    }
  };
  let told = new Set<string>();
  const tell = async () => {
    const all = new Map(here().map((watcher) => [`${process} ${watcher.agentId}`, watcher]));
    const gone = [...told].filter((id) => !all.has(id));
    told = new Set(all.keys());
    for (const [id, watcher] of all) await write(id, watcher, now() + TOLD_FOR_MS);
    if (gone.length > 0) await db().deleteFrom('agent_watchers').where('id', 'in', gone).execute();
  };
  const timer = setInterval(() => {
    detach(tell(), (error) => onFault(error, 'watchers of inboxes'));
  }, TELL_EVERY_MS).unref();
  return {
    async watched(organizationId) {
      const rows = await db()
        .selectFrom('agent_watchers')
        .select('agent_id')
        .where('organization_id', '=', organizationId)
        .where('until', '>', now())
        // This process knows better than what it wrote down.
        .where('id', 'not like', `${process} %`)
        .execute();
      const own = here().filter((watcher) => watcher.organizationId === organizationId);
      return new Set([...rows.map(({ agent_id }) => agent_id), ...own.map(({ agentId }) => agentId)]);
    },
    note: (watcher, until) => write(`${watcher.callerId} ${watcher.agentId}`, watcher, until),
    async close() {
      clearInterval(timer);
      if (told.size > 0)
        await db()
          .deleteFrom('agent_watchers')
          .where('id', 'in', [...told])
          .execute();
    },
  };
}
