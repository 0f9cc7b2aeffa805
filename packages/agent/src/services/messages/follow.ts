/** What happens to a message after it was accepted: it is run, or waited for, and its end is told to the sender. */
import { detach, ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Acting } from '../../session.ts';
import type { Runs } from '../runs.ts';
import { SESSION_MS } from '../sessions/sessions.ts';
import { historyOf } from './history.ts';
import type { Inbox, InboxOf } from './inbox.ts';
import { LEASE_MS } from './inbox.ts';
import { acceptedMessages, changeRow } from './rows.ts';
import type { MessageRow } from './schema.ts';
import type { CreateWorkTask } from './seams.ts';
import type { Sent } from './send.ts';
import { workIn } from './send.ts';
import { createWaiting } from './waiting.ts';

/** What the sender is answered. */
export interface Followed {
  readonly message_id: string;
  readonly thread: string;
  readonly status: 'replied' | 'queued' | 'pending' | 'duplicate' | 'work_task';
  readonly reply?: string;
  readonly task_id?: string;
  readonly depth: number;
}

export interface FollowParts {
  readonly store: Store;
  readonly now: () => number;
  readonly inbox: Inbox;
  readonly runs: Runs;
  readonly createWorkTask: () => CreateWorkTask | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}

const MAX_TEXT = 32_768;
const CUT = '\n[cut]';
const RENEW_MS = LEASE_MS / 3;

export function createFollow(parts: FollowParts) {
  const { store, now, inbox, runs } = parts;
  const { wait, taken } = createWaiting(parts);

  return async (acting: Acting, sent: Sent, signal: AbortSignal): Promise<Followed> => {
    const { id: message_id, thread, depth, way, status } = sent;
    const answer = { message_id, thread, depth };
    if (status === 'duplicate') return { ...answer, status: 'duplicate' };
    if (status === 'reply' || way === 'inbox') return { ...answer, status: 'queued' };
    if (way === 'work_task') return { ...answer, ...(await createWork(acting, sent)) };
    const row = await messageOf(acting, sent);
    const ended = way === 'runner' ? await run(acting, sent, row, signal) : await wait(row, signal);
    return { ...answer, ...ended };
  };

  async function messageOf({ organizationId }: Acting, { id }: Sent): Promise<MessageRow> {
    const query = acceptedMessages(store, organizationId).selectAll().where('id', '=', id);
    const row = await query.executeTakeFirst();
    if (row === undefined) throw new ToolError('not_found', 'The recipient, or its inbox, is gone.');
    return row;
  }

  async function createWork(acting: Acting, sent: Sent) {
    const { id, to } = sent;
    const of = { organizationId: acting.organizationId, agentId: to.id };
    const row = await messageOf(acting, sent);
    const work = {
      messageId: id,
      agentId: to.id,
      name: to.name,
      description: workIn(row.text),
      from: acting,
    };
    try {
      const { task_id } = (await parts.createWorkTask()?.(work)) ?? {};
      await store.transaction((tx) => changeRow(tx, row, { status: 'replied', code: 'work_task' }, now()));
      return { status: 'work_task', ...(task_id !== undefined && { task_id }) } as const;
    } catch (error) {
      if (error instanceof ToolError) await inbox.fail(of, id, { code: error.code }, id);
      else await inbox.release(of, id, id);
      throw error;
    }
  }

  /** Runs the recipient; the message is held meanwhile. */
  async function run(acting: Acting, { to }: Sent, row: MessageRow, signal: AbortSignal) {
    const { id, organization_id: organizationId } = row;
    const of: InboxOf = { organizationId, agentId: to.id };
    // Another process may have had it, or a watcher, while this one was away.
    if (!(await isTaken(of, id))) return wait(row, signal);
    const waitUntil = row.wait_until ?? now();
    const over = AbortSignal.timeout(Math.max(0, waitUntil - now()));
    const renewing = setInterval(() => {
      detach(inbox.claim(of, id, id), () => undefined); // replied by the agent itself meanwhile
    }, RENEW_MS).unref();
    const between = [{ id: acting.agentId, name: acting.name }, to] as const;
    try {
      const { status, text } = await runs.run({
        kind: 'message',
        agent: { ...to, organizationId },
        prompt: row.text,
        history: await historyOf(store, { organizationId, thread: row.thread, between, until: id }),
        depth: row.depth,
        unattended: row.unattended === 1,
        timeoutMs: Math.min(SESSION_MS, Math.max(1, waitUntil - now())),
        latestAt: waitUntil,
        signal: AbortSignal.any([signal, over]),
      });
      clearInterval(renewing);
      // Whoever goes on later finds the message where it was.
      if (signal.aborted) await inbox.release(of, id, id);
      signal.throwIfAborted();
      return await endOfRun(of, row, { isLate: over.aborted || status === 'timeout', status, text });
    } catch (error) {
      if (error instanceof ToolError && error.code === 'unavailable') await failed(of, row, 'unavailable');
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  async function isTaken(of: InboxOf, id: string): Promise<boolean> {
    try {
      await inbox.claim(of, id, id);
      return true;
    } catch (error) {
      if (error instanceof ToolError) return false;
      throw error;
    }
  }

  async function endOfRun(
    of: InboxOf,
    row: MessageRow,
    run: { readonly isLate: boolean; readonly status: string; readonly text: string },
  ) {
    const said = run.text.trim();
    const isDone = !run.isLate && run.status === 'completed';
    // It may have replied by a message of its own.
    const already = await taken(row);
    if (already !== undefined) return already;
    if (isDone && said !== '') {
      await orAnswered(inbox.reply(of, row.id, cutReply(said), row.id));
      return (await taken(row)) ?? { status: 'replied' as const, reply: cutReply(said) };
    }
    const code = run.isLate ? 'timeout' : 'runner_failed';
    await failed(of, row, code);
    if (run.isLate)
      throw new ToolError(
        'timeout',
        'The agent did not answer in time and was stopped. Give it more wait_seconds.',
      );
    throw new ToolError(
      'runner_failed',
      isDone ? 'The agent answered nothing.' : 'The run of the agent failed.',
    );
  }

  function failed(of: InboxOf, row: MessageRow, code: string): Promise<void> {
    return orAnswered(inbox.fail(of, row.id, { code }, row.id));
  }
}

/** A reply is as long as a message may be. */
function cutReply(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - CUT.length).toWellFormed()}${CUT}`;
}

/** A message that was dealt with meanwhile needs nothing more. */
export async function orAnswered(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
}
