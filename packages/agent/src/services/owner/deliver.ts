/** Bringing notices and questions to channels: durable, three tries a minute apart, each written down. */
import { typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Kind } from '@parley/tasks';
import type { AgentTables } from '../../schema.ts';
import { channelsOf, configOf, openChannel, pollKeyOf } from './channels.ts';
import type { OfAgent, OwnerParts } from './parts.ts';
import { errorOf, ownerTask } from './owner-task.ts';
import { wakePoll } from './poll.ts';
import type { ChannelRow, DeliveryRow, DispatchRow, OwnerTables } from './schema.ts';

const DELIVER_KIND = 'agent.owner.deliver';
const ATTEMPTS = 3;
const PAUSE_MS = 60_000;
const MOST_ERROR = 300;

type Table = 'notification_deliveries' | 'owner_question_dispatches';

interface DeliverInput {
  readonly table: Table;
  readonly id: string;
}

/** Writes down what has to be brought to each channel that is on, with the tasks that will do it. */
export async function bring(
  parts: OwnerParts,
  tx: StoreTransaction,
  of: OfAgent,
  what: { readonly notificationId: string } | { readonly questionId: string },
): Promise<ChannelRow[]> {
  const at = parts.now();
  const channels = (await channelsOf(tx, of.agentId)).filter(({ enabled }) => enabled === 1);
  const db = tx.db<OwnerTables>();
  for (const channel of channels) {
    const row = newRow(channel, at);
    if ('notificationId' in what)
      await db
        .insertInto('notification_deliveries')
        .values({ ...row, notification_id: what.notificationId })
        .execute();
    else {
      const poll_key = pollKeyOf(parts, channel);
      await db
        .insertInto('owner_question_dispatches')
        .values({ ...row, question_id: what.questionId, external_ref: null, poll_key })
        .execute();
      if (poll_key !== null)
        await wakePoll(parts, tx, { organizationId: of.organizationId, pollKey: poll_key });
    }
    const table = 'notificationId' in what ? 'notification_deliveries' : 'owner_question_dispatches';
    await parts.tasks.enqueueIn(
      tx,
      ownerTask(of.organizationId, DELIVER_KIND, { table, id: row.id }, row.id),
    );
  }
  return channels;
}

/** The code of these tasks. */
export function deliverKind(parts: OwnerParts): Kind {
  return {
    kind: DELIVER_KIND,
    version: 1,
    isSystem: true,
    async run(input, { io, signal }) {
      // Written by us when the task was made.
      const asked = input as DeliverInput;
      for (let attempt = 1; ; attempt += 1) {
        const next = await io.step(`attempt ${attempt}`, () => tryOnce(parts, asked, attempt, signal));
        if (next === null) return { outcome: 'completed', result: null };
        await io.sleep(`pause ${attempt}`, new Date(next));
      }
    },
  };
}

/** One try; says when the next one is, if there is one. */
async function tryOnce(
  parts: OwnerParts,
  { table, id }: DeliverInput,
  attempt: number,
  signal: AbortSignal,
): Promise<number | null> {
  const { store, now } = parts;
  const row = await store
    .db<OwnerTables>()
    .selectFrom(table)
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  // Gone with its agent, or done by a run that ended before it could say so.
  if (row === undefined || row.status !== 'queued') return null;
  const sent = await send(parts, row, signal);
  const isLast = attempt >= ATTEMPTS || ('isFinal' in sent && sent.isFinal);
  const status = 'error' in sent ? (isLast ? 'failed' : 'queued') : 'sent';
  const change = {
    status,
    attempts: attempt,
    next_try_at: status === 'queued' ? now() + PAUSE_MS : null,
    error: 'error' in sent ? sent.error.slice(0, MOST_ERROR) : null,
    updated_at: now(),
  } as const;
  const db = store.db<OwnerTables>();
  if ('question_id' in row)
    await db
      .updateTable('owner_question_dispatches')
      .set({ ...change, ...('ref' in sent && { external_ref: sent.ref }) })
      .where('id', '=', id)
      .execute();
  else await db.updateTable('notification_deliveries').set(change).where('id', '=', id).execute();
  return change.next_try_at;
}

type Sent = { readonly ref: string | null } | { readonly error: string; readonly isFinal: boolean };

async function send(parts: OwnerParts, row: DeliveryRow | DispatchRow, signal: AbortSignal): Promise<Sent> {
  const channel = await openChannel(parts.store, row.channel_id);
  if (channel === undefined) return { error: 'The channel was switched off.', isFinal: true };
  const { type } = channel;
  try {
    const config = configOf(parts, channel);
    if ('notification_id' in row) {
      await parts.channels[type].send(config, await noticeOf(parts, row.notification_id), signal);
      return { ref: null };
    }
    const question = await questionOf(parts, row.question_id);
    if (question === undefined)
      return { error: 'The question was closed before it was sent.', isFinal: true };
    return { ref: await parts.channels[type].ask(config, question, signal) };
  } catch (error) {
    return { error: errorOf(parts, error, signal), isFinal: false };
  }
}

async function noticeOf({ store }: OwnerParts, id: string) {
  const row = await store
    .db<OwnerTables & AgentTables>()
    .selectFrom('owner_notifications')
    .innerJoin('agents', 'agents.id', 'owner_notifications.agent_id')
    .selectAll('owner_notifications')
    .select('agents.name as agent_name')
    .where('owner_notifications.id', '=', id)
    .executeTakeFirstOrThrow();
  const { level, title, message, created_at: createdAt } = row;
  return { id, agent: { id: row.agent_id, name: row.agent_name }, level, title, message, createdAt };
}

/** The question while it is open. */
async function questionOf({ store, now }: OwnerParts, id: string) {
  const row = await store
    .db<OwnerTables & AgentTables>()
    .selectFrom('owner_questions')
    .innerJoin('agents', 'agents.id', 'owner_questions.agent_id')
    .selectAll('owner_questions')
    .select('agents.name as agent_name')
    .where('owner_questions.id', '=', id)
    .where('owner_questions.status', '=', 'open')
    .where('owner_questions.deadline_at', '>', now())
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id,
    agent: { id: row.agent_id, name: row.agent_name },
    question: row.question,
    options: row.options === null ? null : fromJson<string[]>(row.options),
    context: row.context,
    createdAt: row.created_at,
    deadlineAt: row.deadline_at,
  };
}

function newRow({ id, organization_id, type }: ChannelRow, at: number) {
  return {
    id: typeId('delivery', at),
    organization_id,
    channel_id: id,
    type,
    status: 'queued' as const,
    attempts: 0,
    next_try_at: at,
    error: null,
    created_at: at,
    updated_at: at,
  };
}
