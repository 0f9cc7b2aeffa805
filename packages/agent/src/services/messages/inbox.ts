/** The inbox of an agent: what is unread, who has claimed what, and the one reply that each message gets. */
import { isUniqueViolation } from '@parley/store';
import type { Store, StoreTransaction } from '@parley/store';
import { ToolError } from '@parley/kit';
import { learn } from './breaker.ts';
import { acceptedMessages, changeRow, insertRow, newRow, unread } from './rows.ts';
import type { MessageRow, MessageStatus } from './schema.ts';
import type { MessageCredits } from './seams.ts';

/** An inbox by whose it is. */
export interface InboxOf {
  readonly organizationId: string;
  readonly agentId: string;
}

/** A message as its recipient sees it. */
export interface InboxMessage {
  readonly id: string;
  /** An agent of another server has no id here. */
  readonly from: { readonly id: string | null; readonly name: string };
  readonly thread: string;
  readonly text: string;
  readonly status: MessageStatus;
  /** The depth that its recipient works at. */
  readonly depth: number;
  readonly unattended: boolean;
  readonly reply_to: string | null;
  readonly sent_at: string;
  /** What `after` takes to go on behind it. */
  readonly cursor: string;
}

export interface Claimed {
  readonly id: string;
  readonly lease_until: string;
}

export interface Inbox {
  list(
    of: InboxOf,
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<InboxMessage[]>;
  /** Any message of the inbox, also one that is dealt with; a reply that is read here is no longer unread. */
  open(of: InboxOf, id: string): Promise<InboxMessage | undefined>;
  /** Takes a message for a minute, or for one more; a reply is dealt with by that, since nothing follows from it. */
  claim(of: InboxOf, id: string, holder: string): Promise<Claimed>;
  /** The answer to a message; accepted once. Without a holder nobody is asked who has claimed it. */
  reply(of: InboxOf, id: string, text: string, holder?: string): Promise<{ readonly message_id: string }>;
  fail(of: InboxOf, id: string, failure: Failure, holder?: string): Promise<void>;
  /** Lets go of a claim: the message is unread again. */
  release(of: InboxOf, id: string, holder: string): Promise<void>;
}

/** Why a message could not be dealt with. */
export interface Failure {
  readonly code: string;
  /** In the words of the recipient. */
  readonly reason?: string | undefined;
}

export interface InboxParts {
  readonly store: Store;
  readonly now: () => number;
  readonly credits: MessageCredits;
}

export const LEASE_MS = 60_000;
/** A reply is held for the sender that waits, and a little longer, so that it is not offered beside that. */
const TAKE_MS = 5000;
/** Who has sent what came from another server. */
const REMOTE_NAME = 'Remote agent';

export function createInbox({ store, now, credits }: InboxParts): Inbox {
  const change = <T>(
    of: InboxOf,
    id: string,
    holder: string | undefined,
    work: (tx: StoreTransaction, row: MessageRow) => Promise<T>,
  ) =>
    store.transaction(async (tx) => {
      const row = await openRow(tx, of, id);
      const isHeld = row.status === 'claimed' && (row.lease_until ?? 0) > now();
      if (isHeld && holder !== undefined && row.holder !== holder)
        throw new ToolError('conflict', 'Another worker has claimed this message. Take the next one.');
      return work(tx, row);
    });
  return {
    list: async (of, { after, limit }) => {
      const [at = 0, id = ''] = cursorIn(after);
      const query = withSenders(unread(store, of.organizationId, of.agentId, now()))
        .where((where) =>
          where.or([
            where(where.fn.coalesce('lease_until', 'accepted_at'), '>', at),
            where.and([
              where(where.fn.coalesce('lease_until', 'accepted_at'), '=', at),
              where('agent_messages.id', '>', id),
            ]),
          ]),
        )
        .orderBy((order) => order.fn.coalesce('lease_until', 'accepted_at'))
        .orderBy('agent_messages.id')
        .limit(limit);
      return (await query.execute()).map(shown);
    },
    async open(of, id) {
      if (!ID.test(id)) return undefined;
      const query = withSenders(acceptedMessages(store, of.organizationId))
        .where('to_agent', '=', of.agentId)
        .where('agent_messages.id', '=', id);
      const row = await query.executeTakeFirst();
      if (row === undefined) return undefined;
      if (row.reply_to !== null && row.status === 'queued')
        await store.transaction((tx) => changeRow(tx, row, { status: 'replied' }, now()));
      return shown(row);
    },
    claim: (of, id, holder) =>
      change(of, id, holder, async (tx, row) => {
        const until = now() + LEASE_MS;
        const status = row.reply_to === null ? 'claimed' : 'replied';
        await changeRow(tx, row, { status, holder, lease_until: until }, now());
        return { id, lease_until: new Date(until).toISOString() };
      }),
    reply: (of, id, text, holder) =>
      change(of, id, holder, async (tx, row) => {
        const reply = await acceptReply(tx, row, text, now());
        return { message_id: reply.id };
      }),
    fail: (of, id, { code, reason = '' }, holder) =>
      change(of, id, holder, async (tx, row) => {
        const { from_agent: from, organization_id: organizationId } = row;
        await changeRow(tx, row, { status: 'failed', code, holder: null, lease_until: null }, now());
        if (row.reply_to !== null) return;
        if (row.charge_id !== null && from !== null) {
          const payer = { organizationId, agentId: from, actor: of.agentId, reason: id };
          await credits.refund(tx, payer, row.charge_id);
        }
        if (row.wait_until !== null)
          await learn(tx, { organizationId, agentId: of.agentId }, id, 'failure', now());
        // Nobody waits who could be told, so the sender finds it in its inbox.
        if (reason !== '') await insertReply(tx, row, reason, now());
      }),
    release: (of, id, holder) =>
      store.transaction(async (tx) => {
        const row = await rowOf(tx, of, id);
        if (row?.status !== 'claimed' || row.holder !== holder) return;
        await changeRow(tx, row, { status: 'queued', holder: null, lease_until: null }, now());
      }),
  };
}

/** Accepts the reply to a message that is open. */
export async function acceptReply(
  tx: StoreTransaction,
  row: MessageRow,
  text: string,
  at: number,
): Promise<MessageRow> {
  const { organization_id: organizationId, to_agent: agentId, id } = row;
  const reply = await insertReply(tx, row, text, at);
  await changeRow(tx, row, { status: 'replied', holder: null, lease_until: null }, at);
  if (row.wait_until !== null && agentId !== null)
    await learn(tx, { organizationId, agentId }, id, 'success', at);
  return reply;
}

/** What the recipient says, on its way to the sender: to the call that waits, or else to its inbox. */
async function insertReply(
  tx: StoreTransaction,
  row: MessageRow,
  text: string,
  at: number,
): Promise<MessageRow> {
  const { to_agent: from, from_agent: to, organization_id: organizationId, thread, depth } = row;
  const unattended = row.unattended === 1;
  // A program may write anything, and PostgreSQL does not keep all of it.
  const kept = text.replaceAll('\0', '').toWellFormed();
  const said = { organizationId, from, to, thread, text: kept, depth, unattended };
  const isAwaited = (row.wait_until ?? 0) > at;
  const held = { status: 'claimed', holder: row.id, lease_until: (row.wait_until ?? 0) + TAKE_MS } as const;
  const reply = { ...newRow(said, at), reply_to: row.id, ...(isAwaited && held) };
  try {
    await insertRow(tx, reply);
  } catch (error) {
    if (isUniqueViolation(error)) throw isAnswered();
    throw error;
  }
  return reply;
}

function isAnswered(): ToolError {
  return new ToolError('conflict', 'This message is dealt with already, so nothing more is accepted for it.');
}

function rowOf(tx: StoreTransaction, of: InboxOf, id: string): Promise<MessageRow | undefined> {
  const query = acceptedMessages(tx, of.organizationId)
    .selectAll()
    .where('to_agent', '=', of.agentId)
    .where('id', '=', id);
  return tx.locked(query).executeTakeFirst();
}

/** A message that is not dealt with; an unknown one and one of somebody else are the same. */
async function openRow(tx: StoreTransaction, of: InboxOf, id: string): Promise<MessageRow> {
  const row = ID.test(id) ? await rowOf(tx, of, id) : undefined;
  if (row === undefined) throw new ToolError('not_found', 'Message not found');
  if (row.status !== 'queued' && row.status !== 'claimed') throw isAnswered();
  return row;
}

function withSenders(query: ReturnType<typeof acceptedMessages>) {
  return query
    .selectAll('agent_messages')
    .select((select) =>
      select
        .selectFrom('agents')
        .select('agents.name')
        .whereRef('agents.id', '=', 'agent_messages.from_agent')
        .as('from_name'),
    );
}

type WithSender = MessageRow & { readonly from_name: string | null };

function shown(row: WithSender): InboxMessage {
  return {
    id: row.id,
    from: { id: row.from_agent, name: row.from_name ?? (row.from_agent === null ? REMOTE_NAME : '') },
    thread: row.thread,
    text: row.text,
    status: row.status,
    depth: row.depth + 1,
    unattended: row.unattended === 1,
    reply_to: row.reply_to,
    sent_at: new Date(row.created_at).toISOString(),
    cursor: `${row.lease_until ?? row.accepted_at ?? 0}_${row.id}`,
  };
}

// PostgreSQL refuses some characters, and no id has them.
const ID = /^[\w-]{1,64}$/;
const CURSOR = /^(\d{1,15})_([\w-]{1,64})$/;

function cursorIn(text: string | undefined): [number?, string?] {
  if (text === undefined) return [];
  const [, at, id] = CURSOR.exec(text) ?? [];
  if (at === undefined || id === undefined)
    throw new ToolError('invalid', 'after: must be the cursor of a message, as a list of the inbox shows it');
  return [Number(at), id];
}
