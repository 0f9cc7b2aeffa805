/** Sending: every check in its order, and the message committed to the inbox of its recipient before anything else happens. */
import { hash } from 'node:crypto';
import { hiddenByPower, ToolError } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { AGENT } from '../../name.ts';
import type { Acting } from '../../session.ts';
import type { Agent, Agents } from '../agents.ts';
import { circuitOf, pass } from './breaker.ts';
import { acceptReply, LEASE_MS } from './inbox.ts';
import {
  awaitedOf,
  cannotPay,
  circuitOpen,
  duplicateOf,
  tooDeep,
  tooMany,
  toSelf,
  unknownRecipient,
} from './refusals.ts';
import { acceptedMessages, changeRow, insertRow, newRow } from './rows.ts';
import type { Said } from './rows.ts';
import type { MessageRow } from './schema.ts';
import type { CreateWorkTask, MessageCredits } from './seams.ts';
import type { Watching } from './watching.ts';

/** What an agent says to another. */
export interface Outgoing {
  /** An id, or a name. */
  readonly to: string;
  readonly text: string;
  readonly thread?: string | undefined;
  readonly waitSeconds?: number | undefined;
  /** The same for every try of one call, so that a call that is entered again sends once. */
  readonly callId?: string | null | undefined;
  /** True: the same message again waits on for the reply of the first, instead of being sent once more. */
  readonly goesOn?: boolean;
  /** True when whoever had to agree to it has: only then does a run that nobody watches make work by it. */
  readonly isApproved?: boolean;
}

/** How a message that was accepted gets its answer. */
export type Way = 'runner' | 'watcher' | 'work_task' | 'inbox';

/** A message that was sent. */
export interface Sent {
  readonly status: 'duplicate' | 'reply' | 'accepted';
  readonly id: string;
  readonly thread: string;
  readonly depth: number;
  readonly way: Way;
  readonly to: { readonly id: string; readonly name: string };
}

export interface SendParts {
  readonly store: Store;
  readonly now: () => number;
  readonly agents: Pick<Agents, 'find'>;
  readonly credits: MessageCredits;
  readonly watching: Watching;
  /** True when the agent is run here. */
  readonly isRun: (agent: Agent) => boolean;
  /** Undefined: there are no work tasks. */
  readonly createWorkTask: () => CreateWorkTask | undefined;
}

const WAIT_SECONDS = 300;
const SECOND_MS = 1000;
const WORK = '[WORK]';
/** Enough of a refused message to know it again; a flood of them must not fill the database. */
const REFUSED_CHARACTERS = 200;

export function createSend(parts: SendParts) {
  const { store, now, agents, credits } = parts;

  return async (acting: Acting, outgoing: Outgoing): Promise<Sent> => {
    const other = await agents.find(acting.organizationId, outgoing.to);
    const way = other === undefined ? 'inbox' : await wayOf(parts, acting, other, outgoing);
    const ended = await store.transaction(async (tx) => {
      // Counted and compared by all processes, one message of a sender after the other.
      await tx.exclusive(`agent-sender ${acting.agentId}`);
      const at = now();
      const said = saidBy(acting, outgoing, other);
      const id = idOf(outgoing.callId);
      const before = id === undefined ? undefined : await ownRow(tx, acting, id);
      if (before !== undefined && other !== undefined)
        return sent(before, other, 'accepted', wayBack(before, way));
      const open = await openBetween(tx, said);
      if (other !== undefined && open !== undefined) {
        const reply = await acceptReply(tx, open, said.text, at);
        return { ...sent(reply, other, 'reply', 'inbox'), depth: acting.depth };
      }
      const row = newRow(said, at, id);
      const by = { actor: acting.caller.id, goesOn: mayGoOn(outgoing) };
      const checked = await check(tx, row, said, other, by);
      if (checked instanceof ToolError) {
        await insertRow(tx, refusedRow(newRow(said, at), checked.code));
        return checked;
      }
      const { duplicate, awaited, circuit, chargeId } = checked;
      if (other === undefined) return unknownRecipient();
      if (duplicate !== undefined) return sent(duplicate, other, 'duplicate', 'inbox');
      if (awaited !== undefined) {
        const waited = await awaitOn(tx, awaited, outgoing, at);
        // A run that was stopped begins again; one that goes on is waited for.
        const isIdle = awaited.status === 'queued' && way === 'runner';
        return sent(waited, other, 'accepted', isIdle ? 'runner' : 'watcher');
      }
      const accepted = { ...row, charge_id: chargeId, ...deliveryOf(row, way, outgoing, at) };
      await pass(tx, circuit, { id: row.id, until: accepted.wait_until ?? at }, at);
      await settleReplies(tx, said, at);
      await insertRow(tx, accepted);
      return sent(accepted, other, 'accepted', way);
    });
    // Thrown after the commit, since what was refused is written down.
    if (ended instanceof ToolError) throw ended;
    return ended;
  };

  async function check(
    tx: StoreTransaction,
    row: MessageRow,
    said: SaidHere,
    other: Agent | undefined,
    { actor, goesOn }: { readonly actor: string; readonly goesOn: boolean },
  ) {
    const at = row.created_at;
    const free = { circuit: undefined, chargeId: null };
    const deep = tooDeep(said.depth);
    if (deep !== undefined) return deep;
    if (other === undefined) return unknownRecipient();
    if (other.id === said.from) return toSelf();
    const duplicate = await duplicateOf(tx, said, at);
    if (duplicate !== undefined) return { duplicate, awaited: undefined, ...free };
    const awaited = goesOn ? await awaitedOf(tx, said, at) : undefined;
    if (awaited !== undefined) return { duplicate, awaited, ...free };
    const many = await tooMany(tx, said, other, at);
    if (many !== undefined) return many;
    const circuit = await circuitOf(tx, { organizationId: said.organizationId, agentId: other.id });
    const open = circuitOpen(circuit, other, at);
    if (open !== undefined) return open;
    const payer = { organizationId: said.organizationId, agentId: said.from, actor, reason: row.id };
    const charge = await credits.charge(tx, payer, 'agent_message');
    return charge === 'refused' ? cannotPay() : { duplicate, awaited, circuit, chargeId: charge.id };
  }
}

function mayGoOn({ text, waitSeconds, goesOn = false }: Outgoing): boolean {
  return goesOn && waitSeconds !== 0 && !asksForWork(text);
}

/** The reply is held for the call that waits now. */
function awaitOn(tx: StoreTransaction, row: MessageRow, { waitSeconds }: Outgoing, at: number) {
  const until = at + (waitSeconds ?? WAIT_SECONDS) * SECOND_MS;
  return changeRow(tx, row, { wait_until: Math.max(until, row.wait_until ?? 0) }, at);
}

/** The message of an agent that it waits to be answered, if there is one with these words. */
export async function awaitedBy(
  { store, now, agents }: Pick<SendParts, 'store' | 'now' | 'agents'>,
  acting: Acting,
  outgoing: Outgoing,
): Promise<MessageRow | undefined> {
  const other = await agents.find(acting.organizationId, outgoing.to);
  return other && awaitedOf(store, saidBy(acting, outgoing, other), now());
}

/** The message of a durable call: the one it sent, or the one it went on waiting for. */
export async function sentOrAwaitedBy(
  parts: Pick<SendParts, 'store' | 'now' | 'agents'>,
  acting: Acting,
  outgoing: Outgoing,
): Promise<MessageRow | undefined> {
  const id = idOf(outgoing.callId);
  const own = id === undefined ? undefined : await ownRow(parts.store, acting, id);
  return own ?? awaitedBy(parts, acting, outgoing);
}

/** What an agent of this server says. */
type SaidHere = Said & { readonly from: string };

function saidBy(acting: Acting, { text, thread }: Outgoing, other: Agent | undefined): SaidHere {
  const { organizationId, agentId, depth, unattended } = acting;
  return { organizationId, from: agentId, to: other?.id ?? null, thread, text, depth, unattended };
}

/** The id of a message of a durable call; others get one of their own. */
function idOf(callId: string | null | undefined): string | undefined {
  return callId === null || callId === undefined
    ? undefined
    : `msg_${hash('sha256', callId, 'base64url').slice(0, 26)}`;
}

function ownRow(from: Queryable, acting: Acting, id: string): Promise<MessageRow | undefined> {
  return acceptedMessages(from, acting.organizationId)
    .selectAll()
    .where('from_agent', '=', acting.agentId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Where a message that was sent before a crash goes on. */
function wayBack(row: MessageRow, way: Way): Way {
  return row.wait_until === null && way !== 'work_task' ? 'inbox' : way;
}

/** The message in this thread that the sender has yet to answer. */
async function openBetween(
  tx: StoreTransaction,
  { organizationId, from, to, thread }: Said,
): Promise<MessageRow | undefined> {
  if (thread === undefined || to === null) return undefined;
  const query = acceptedMessages(tx, organizationId)
    .selectAll()
    .where('thread', '=', thread)
    .where('from_agent', '=', to)
    .where('to_agent', '=', from)
    .where('reply_to', 'is', null)
    .where('status', 'in', ['queued', 'claimed'])
    .orderBy('accepted_at');
  return tx.locked(query).executeTakeFirst();
}

/** Whoever writes on in a thread has read what came back in it. */
async function settleReplies(tx: StoreTransaction, said: Said, at: number): Promise<void> {
  const { organizationId, from, to, thread } = said;
  if (thread === undefined || to === null) return;
  const replies = await acceptedMessages(tx, organizationId)
    .selectAll()
    .where('thread', '=', thread)
    .where('from_agent', '=', to)
    .where('to_agent', '=', from)
    .where('reply_to', 'is not', null)
    .where('status', '=', 'queued')
    .execute();
  for (const reply of replies) await changeRow(tx, reply, { status: 'replied' }, at);
}

function refusedRow(row: MessageRow, code: string): MessageRow {
  const text = row.text.slice(0, REFUSED_CHARACTERS).toWellFormed();
  return { ...row, text, status: 'failed', code, accepted_at: null };
}

/** A message that is run is claimed from the start, so that no watcher takes it too. */
function deliveryOf(row: MessageRow, way: Way, { waitSeconds }: Outgoing, at: number): Partial<MessageRow> {
  if (way === 'inbox') return {};
  const isRun = way !== 'watcher';
  return {
    ...(isRun && { status: 'claimed', holder: row.id, lease_until: at + LEASE_MS }),
    ...(way !== 'work_task' && { wait_until: at + (waitSeconds ?? WAIT_SECONDS) * SECOND_MS }),
  };
}

async function wayOf(parts: SendParts, acting: Acting, other: Agent, outgoing: Outgoing): Promise<Way> {
  const { watching, isRun, createWorkTask } = parts;
  const { text, waitSeconds, isApproved = !acting.unattended } = outgoing;
  if (asksForWork(text) && isApproved && createWorkTask() !== undefined && mayCreateWork(acting))
    return 'work_task';
  if (waitSeconds === 0) return 'inbox';
  if (isRun(other)) return 'runner';
  if (waitSeconds !== undefined) return 'watcher';
  return (await watching.watched(acting.organizationId)).has(other.id) ? 'watcher' : 'inbox';
}

function mayCreateWork({ caller }: Acting): boolean {
  const tool = { name: 'corvid_create_work_task', toolset: AGENT, callers: 'agents' } as const;
  return hiddenByPower(tool, caller) === undefined;
}

/** Whether a text makes a work task of its recipient. */
export function asksForWork(text: string): boolean {
  return text.startsWith(WORK);
}

/** The work that a text asks for. */
export function workIn(text: string): string {
  return text.slice(WORK.length).trim();
}

function sent(row: MessageRow, { id, name }: Agent, status: Sent['status'], way: Way): Sent {
  return { status, id: row.id, thread: row.thread, depth: row.depth, way, to: { id, name } };
}
