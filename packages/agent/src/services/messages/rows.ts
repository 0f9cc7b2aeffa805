/** Rows of messages: how they are made, found and announced. */
import { hash } from 'node:crypto';
import { typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import type { MessageRow, MessageTables } from './schema.ts';

/** Topics of the change signal; the name of an agent, or of a message, follows. */
export const INBOX = 'agent:inbox:';
export const MESSAGE = 'agent:message:';

/** What every row begins with. */
export interface Said {
  readonly organizationId: string;
  /** Null: an agent of another server. */
  readonly from: string | null;
  readonly to: string | null;
  /** Undefined: it begins a thread. */
  readonly thread: string | undefined;
  readonly text: string;
  readonly depth: number;
  readonly unattended: boolean;
}

export function newRow(said: Said, at: number, id: string = typeId('msg', at)): MessageRow {
  return {
    id,
    organization_id: said.organizationId,
    from_agent: said.from,
    to_agent: said.to,
    thread: said.thread ?? typeId('thr', at),
    began_thread: said.thread === undefined ? 1 : 0,
    text: said.text,
    text_hash: hashOf(said.text),
    status: 'queued',
    code: null,
    depth: said.depth,
    unattended: said.unattended ? 1 : 0,
    reply_to: null,
    accepted_at: at,
    wait_until: null,
    charge_id: null,
    holder: null,
    lease_until: null,
    created_at: at,
    updated_at: at,
  };
}

export function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}

export async function insertRow(tx: StoreTransaction, row: MessageRow): Promise<void> {
  await tx.db<MessageTables>().insertInto('agent_messages').values(row).execute();
  if (row.accepted_at !== null) await announce(tx, row);
}

/** Changes a message and tells everybody who waits for it. */
export async function changeRow(
  tx: StoreTransaction,
  row: MessageRow,
  change: Partial<MessageRow>,
  at: number,
): Promise<MessageRow> {
  const next = { ...row, ...change, updated_at: at };
  await tx
    .db<MessageTables>()
    .updateTable('agent_messages')
    .set({ ...change, updated_at: at })
    .where('id', '=', row.id)
    .execute();
  await announce(tx, next);
  return next;
}

async function announce(tx: StoreTransaction, row: MessageRow): Promise<void> {
  await tx.signal(MESSAGE + row.id);
  if (row.to_agent !== null) await tx.signal(INBOX + row.to_agent, `${row.organization_id} ${row.id}`);
}

/** The messages of an organization that were accepted. */
export function acceptedMessages(from: Queryable, organizationId: string) {
  return from
    .db<MessageTables>()
    .selectFrom('agent_messages')
    .where('organization_id', '=', organizationId)
    .where('accepted_at', 'is not', null);
}

/** The reply to a message. */
export function replyTo(from: Queryable, id: string): Promise<MessageRow | undefined> {
  return from
    .db<MessageTables>()
    .selectFrom('agent_messages')
    .selectAll()
    .where('reply_to', '=', id)
    .executeTakeFirst();
}

/** What nobody has dealt with and nobody holds, of one agent. */
export function unread(from: Queryable, organizationId: string, agentId: string, at: number) {
  return acceptedMessages(from, organizationId)
    .where('to_agent', '=', agentId)
    .where((where) =>
      where.or([
        where('status', '=', 'queued'),
        where.and([where('status', '=', 'claimed'), where('lease_until', '<=', at)]),
      ]),
    );
}
