/** What an agent said and was told, as people look at it: also what was refused. */
import type { Store } from '@parley/store';
import type { InboxOf } from './inbox.ts';
import type { MessageStatus, MessageTables } from './schema.ts';

/** Who says something; an agent of another server has no id, one that is gone no name. */
export interface Party {
  readonly id: string | null;
  readonly name: string | null;
}

/** One message of the log. */
export interface LoggedMessage {
  readonly id: string;
  readonly thread: string;
  readonly from: Party;
  readonly to: Party;
  readonly text: string;
  readonly status: MessageStatus;
  /** Why it failed or was refused. */
  readonly code: string | null;
  readonly reply_to: string | null;
  readonly sent_at: string;
}

/** A page: so many, sent before the one of that id. */
export interface LogPage {
  readonly limit: number;
  readonly before?: string | undefined;
}

/** The messages to and from an agent, the newest first. */
export async function messageLog(
  store: Store,
  { organizationId, agentId }: InboxOf,
  { limit, before }: LogPage,
): Promise<LoggedMessage[]> {
  const db = store.db<MessageTables>();
  const own = db
    .selectFrom('agent_messages')
    .where('organization_id', '=', organizationId)
    .where((where) => where.or([where('from_agent', '=', agentId), where('to_agent', '=', agentId)]));
  const last =
    before === undefined
      ? undefined
      : await own.select(['id', 'created_at']).where('id', '=', before).executeTakeFirst();
  if (before !== undefined && last === undefined) return [];
  let query = own
    .selectAll()
    .select((select) => [
      select
        .selectFrom('agents')
        .select('agents.name')
        .whereRef('agents.id', '=', 'agent_messages.from_agent')
        .as('from_name'),
      select
        .selectFrom('agents')
        .select('agents.name')
        .whereRef('agents.id', '=', 'agent_messages.to_agent')
        .as('to_name'),
    ])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (last !== undefined)
    query = query.where((where) =>
      where.or([
        where('created_at', '<', last.created_at),
        where.and([where('created_at', '=', last.created_at), where('id', '<', last.id)]),
      ]),
    );
  return (await query.execute()).map((row) => ({
    id: row.id,
    thread: row.thread,
    from: { id: row.from_agent, name: row.from_name },
    to: { id: row.to_agent, name: row.to_name },
    text: row.text,
    status: row.status,
    code: row.code,
    reply_to: row.reply_to,
    sent_at: new Date(row.created_at).toISOString(),
  }));
}
