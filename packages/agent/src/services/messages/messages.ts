/** Messages between agents: sent, delivered, answered and watched. */
import type { ChangeBus } from '@parley/kit';
import type { Store } from '@parley/store';
import type { RunResult } from '../../adapters/runner/runner.ts';
import type { Acting } from '../../session.ts';
import type { Agent, Agents } from '../agents.ts';
import type { Runs } from '../runs.ts';
import type { Followed } from './follow.ts';
import { createFollow, orAnswered } from './follow.ts';
import { createFromOutside } from './from-outside.ts';
import type { Inbox, InboxMessage, InboxOf } from './inbox.ts';
import { createInbox } from './inbox.ts';
import type { LoggedMessage, LogPage } from './log.ts';
import { messageLog } from './log.ts';
import { INBOX } from './rows.ts';
import type { FromOutside } from './from-outside.ts';
import type { CreateWorkTask, MessageCredits } from './seams.ts';
import type { Outgoing, Sent } from './send.ts';
import { awaitedBy, createSend, sentOrAwaitedBy } from './send.ts';
import { createWatching } from './watching.ts';

/** How an agent is reached. */
export type Reach = 'runner' | 'watched' | 'inbox';

export interface Messages {
  readonly inbox: Inbox;
  /** Commits a message to the inbox of its recipient. */
  send(acting: Acting, outgoing: Outgoing): Promise<Sent>;
  /** Brings it to its end, or to the end of the sender's patience. */
  follow(acting: Acting, sent: Sent, signal: AbortSignal): Promise<Followed>;
  /** The message with these words whose reply its sender waits for. */
  awaited(acting: Acting, outgoing: Outgoing): Promise<Awaited | undefined>;
  /** Fails a message whose run took its process down again and again. */
  giveUp(acting: Acting, outgoing: Outgoing): Promise<void>;
  /** Brings a message of another server into an inbox, and waits for the reply. */
  fromOutside(message: FromOutside): Promise<RunResult>;
  /** The unread messages; waits for one where there is none, and is a watcher of the inbox meanwhile. */
  poll(of: InboxOf, poll: Poll): Promise<InboxMessage[]>;
  /** What it said and was told, the newest first. */
  log(of: InboxOf, page: LogPage): Promise<LoggedMessage[]>;
  reach(organizationId: string): Promise<(agent: Agent) => Reach>;
  close(): Promise<void>;
}

/** A message whose sender waits. */
export interface Awaited {
  readonly id: string;
  readonly thread: string;
  readonly depth: number;
}

export interface Poll {
  readonly callerId: string;
  readonly after?: string | undefined;
  readonly waitSeconds: number;
}

export interface MessageParts {
  readonly store: Store;
  readonly now: () => number;
  readonly changes: Pick<ChangeBus, 'watchersOf'>;
  readonly onFault: (error: unknown, where: string) => void;
  readonly agents: Pick<Agents, 'find'>;
  readonly runs: Runs;
  readonly credits: MessageCredits;
  readonly createWorkTask: () => CreateWorkTask | undefined;
}

const PAGE = 20;
const SECOND_MS = 1000;
const MAX_WAITING = 1000;
/** How soon a client that polls comes back. */
const BACK_MS = 10 * SECOND_MS;

export function createMessages(parts: MessageParts): Messages {
  const { store, now, runs } = parts;
  const inbox = createInbox(parts);
  const watching = createWatching(parts);
  const isRun = ({ runner }: Agent) => runs.runner !== undefined && runner !== 'inbox';
  const closing = new AbortController();
  let waiting = 0;

  async function poll(of: InboxOf, { callerId, after, waitSeconds }: Poll): Promise<InboxMessage[]> {
    const look = () => inbox.list(of, { after, limit: PAGE });
    if (waitSeconds === 0 || waiting >= MAX_WAITING) return look();
    await watching.note({ ...of, callerId }, now() + waitSeconds * SECOND_MS + BACK_MS);
    waiting += 1;
    const over = AbortSignal.any([closing.signal, AbortSignal.timeout(waitSeconds * SECOND_MS)]);
    const done = new AbortController();
    const either = AbortSignal.any([over, done.signal]);
    try {
      for (;;) {
        const next = store.signal.wait(INBOX + of.agentId, { signal: either });
        const found = await look();
        if (found.length > 0 || over.aborted) return found;
        await store.spending.wait('purpose', 'message', next);
      }
    } finally {
      waiting -= 1;
      done.abort();
    }
  }

  return {
    inbox,
    send: createSend({ ...parts, watching, isRun }),
    follow: createFollow({ ...parts, inbox }),
    awaited: (acting, outgoing) => awaitedBy(parts, acting, outgoing),
    async giveUp(acting, outgoing) {
      const row = await sentOrAwaitedBy(parts, acting, outgoing);
      if (row === undefined || row.to_agent === null) return;
      const of = { organizationId: acting.organizationId, agentId: row.to_agent };
      await orAnswered(inbox.fail(of, row.id, { code: 'runner_failed' }, row.id));
    },
    fromOutside: createFromOutside(parts),
    poll,
    log: (of, page) => messageLog(store, of, page),
    async reach(organizationId) {
      const watched = await watching.watched(organizationId);
      return (agent) => (isRun(agent) ? 'runner' : watched.has(agent.id) ? 'watched' : 'inbox');
    },
    async close() {
      closing.abort();
      await watching.close();
    },
  };
}
