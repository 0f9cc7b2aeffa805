/** Why a message is not delivered: the checks in their order, on what the database counts for all processes. */
import { ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import type { BreakerRow, MessageRow } from './schema.ts';
import { closedFor } from './breaker.ts';
import { acceptedMessages, hashOf, unread } from './rows.ts';
import type { Said } from './rows.ts';

export const MAX_DEPTH = 3;
const DUPLICATE_MS = 30_000;
const AWAITED_MS = 24 * 3_600_000;
const RATE_MS = 60_000;
const RATE = 10;
const MAX_UNREAD = 1000;
const SECOND_MS = 1000;

/** A recipient that is somebody else. */
export interface Other {
  readonly id: string;
  readonly name: string;
}

export function tooDeep(depth: number): ToolError | undefined {
  if (depth <= MAX_DEPTH) return undefined;
  const text = `Agents may pass a request on ${MAX_DEPTH} times, and this would be the next. Answer it yourself.`;
  return new ToolError('depth_exceeded', text);
}

export function unknownRecipient(): ToolError {
  return new ToolError(
    'not_found',
    'to_agent: no such agent. corvid_list_agents shows those that there are.',
  );
}

export function toSelf(): ToolError {
  return new ToolError('self_message', 'to_agent: an agent cannot write to itself.');
}

/** The same message of a moment ago. */
export function duplicateOf(tx: StoreTransaction, said: Said, at: number): Promise<MessageRow | undefined> {
  return sameAs(tx, said)
    .where('accepted_at', '>', at - DUPLICATE_MS)
    .orderBy('accepted_at')
    .executeTakeFirst();
}

/** The same message of this day, when its sender waited and has no reply: it is open, or the reply is unread. */
export function awaitedOf(from: Queryable, said: Said, at: number): Promise<MessageRow | undefined> {
  return sameAs(from, said)
    .where('accepted_at', '>', at - AWAITED_MS)
    .where('wait_until', 'is not', null)
    .where((where) =>
      where.or([
        where('status', 'in', OPEN),
        where.exists(
          where
            .selectFrom('agent_messages as reply')
            .select('reply.id')
            .whereRef('reply.reply_to', '=', 'agent_messages.id')
            .where('reply.status', 'in', OPEN),
        ),
      ]),
    )
    .orderBy('accepted_at', 'desc')
    .executeTakeFirst();
}

const OPEN = ['queued', 'claimed'] as const;

function sameAs(tx: Queryable, { organizationId, from, to, thread, text }: Said) {
  const same = acceptedMessages(tx, organizationId)
    .selectAll()
    .where('from_agent', '=', from)
    .where('to_agent', '=', to)
    .where('text_hash', '=', hashOf(text));
  return thread === undefined ? same.where('began_thread', '=', 1) : same.where('thread', '=', thread);
}

/** Too many from this sender, or too many in that inbox. */
export async function tooMany(
  tx: StoreTransaction,
  { organizationId, from }: Said,
  other: Other,
  at: number,
): Promise<ToolError | undefined> {
  // Replies are bounded by what they reply to.
  const sent = await acceptedMessages(tx, organizationId)
    .select('accepted_at')
    .where('from_agent', '=', from)
    .where('reply_to', 'is', null)
    .where('accepted_at', '>', at - RATE_MS)
    .orderBy('accepted_at', 'desc')
    .limit(RATE)
    .execute();
  if (sent.length >= RATE) {
    const retryAfter = secondsOf((sent.at(-1)?.accepted_at ?? at) + RATE_MS - at);
    return limited(`You may send ${RATE} messages in a minute.`, retryAfter);
  }
  return tooFull(tx, organizationId, other, at);
}

/** Too many in that inbox. */
export async function tooFull(
  tx: StoreTransaction,
  organizationId: string,
  other: Other,
  at: number,
): Promise<ToolError | undefined> {
  const waiting = await unread(tx, organizationId, other.id, at).select('id').limit(MAX_UNREAD).execute();
  if (waiting.length < MAX_UNREAD) return undefined;
  return limited(`The inbox of ${other.name} has ${MAX_UNREAD} unread messages.`, secondsOf(RATE_MS));
}

export function circuitOpen(
  circuit: BreakerRow | undefined,
  other: Other,
  at: number,
): ToolError | undefined {
  const leftMs = closedFor(circuit, at);
  if (leftMs === 0) return undefined;
  const retryAfter = secondsOf(leftMs);
  const text = `${other.name} has failed too often of late. Try again in ${retryAfter} s.`;
  return new ToolError('circuit_open', text, { retry_after: retryAfter });
}

export function cannotPay(): ToolError {
  return new ToolError(
    'insufficient_credits',
    'You have too few credits left for a message. Ask your owner for more.',
  );
}

function limited(what: string, retryAfter: number): ToolError {
  return new ToolError('rate_limited', `${what} Try again in ${retryAfter} s.`, { retry_after: retryAfter });
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / SECOND_MS));
}
