/** Agents of other servers over HTTP: their card, a task for them, and how far it is. */
import { ToolError } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import { EgressError, joinPath } from '@parley/kit/egress';
import * as z from 'zod';
import type { Answered } from '../outbound.ts';
import { ask, isBlocked, jsonOf } from '../outbound.ts';
import type { AgentCard } from './card.ts';
import { cardOf } from './card.ts';

export interface RemoteMessage {
  readonly message: string;
  readonly skill?: string | undefined;
  readonly timeoutMs: number;
  readonly depth: number;
}

/** A task of a remote agent. */
export interface RemoteTask {
  readonly id: string;
  readonly state: string;
  /** The last thing that the agent said. */
  readonly reply: string | null;
}

/**
 * Failures are `ToolError`s: `blocked_address` where the guard refused before anything was sent, `invalid_card`,
 * `remote_failed`, `unavailable`.
 */
export interface RemoteAgents {
  /** Refuses an address that may not be reached, without connecting. */
  check(base: string): Promise<void>;
  /** Undefined: the server has no card. */
  card(base: string, signal: AbortSignal): Promise<AgentCard | undefined>;
  send(base: string, message: RemoteMessage, signal: AbortSignal): Promise<RemoteTask>;
  poll(base: string, taskId: string, signal: AbortSignal): Promise<RemoteTask>;
}

const TASKS = 'a2a/tasks'.split('/');
const CARD_TIMEOUT_MS = 10_000;
const CARD_BYTES = 256 * 1024;
const SEND_TIMEOUT_MS = 30_000;
const POLL_TIMEOUT_MS = 10_000;
const TASK_BYTES = 1024 * 1024;
const MAX_REPLY = 65_536;
/** What may stand in a path. */
const TASK_ID = /^[A-Za-z0-9_-]{1,128}$/;

const Said = z.object({ role: z.string(), parts: z.array(z.object({ text: z.string().catch('') })) });
const Task = z.object({
  id: z.string().regex(TASK_ID),
  state: z.string().max(50),
  messages: z.array(z.unknown()).catch([]),
});

export function createRemoteAgents(egress: Egress): RemoteAgents {
  return {
    check: (base) => egress.check(base).catch(refuse),
    async card(base, signal) {
      const url = addressOf(base, '.well-known', 'agent-card.json');
      const limits = { signal, timeoutMs: CARD_TIMEOUT_MS, maxBytes: CARD_BYTES };
      const asked = { ...limits, headers: { accept: 'application/json' } };
      const answered = await ask(egress, url, asked).catch(refuseCard);
      if (answered.status < 200 || answered.status > 299) return undefined;
      const card = cardOf(jsonOf(answered));
      if (card === undefined) throw invalidCard('has no name and version');
      return card;
    },
    async send(base, { message, skill, timeoutMs, depth }, signal) {
      const body = JSON.stringify({ message, ...(skill !== undefined && { skill }), timeoutMs, depth });
      return taskOf(
        await ask(egress, addressOf(base, ...TASKS, 'send'), {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body,
          signal,
          timeoutMs: SEND_TIMEOUT_MS,
          maxBytes: TASK_BYTES,
        }).catch(refuse),
      );
    },
    async poll(base, taskId, signal) {
      const limits = { signal, timeoutMs: POLL_TIMEOUT_MS, maxBytes: TASK_BYTES };
      return taskOf(await ask(egress, addressOf(base, ...TASKS, taskId), limits).catch(refuse));
    },
  };
}

function addressOf(base: string, ...segments: string[]): URL {
  try {
    return joinPath(base, ...segments);
  } catch (error) {
    return refuse(error);
  }
}

function taskOf(answered: Answered): RemoteTask {
  const { status } = answered;
  if (status < 200 || status > 299)
    throw new ToolError('remote_failed', `The remote agent answered with status ${status}.`, { status });
  const task = Task.safeParse(jsonOf(answered));
  if (!task.success)
    throw new ToolError('remote_failed', 'The remote agent did not answer with a task that can be followed.');
  const { id, state, messages } = task.data;
  const said = messages.flatMap((each) => Said.safeParse(each).data ?? []);
  const last = said.findLast(({ role }) => role === 'agent');
  const reply = last?.parts.map(({ text }) => text).join('\n') ?? null;
  return { id, state, reply: reply && reply.slice(0, MAX_REPLY) };
}

function refuseCard(error: unknown): never {
  if (error instanceof EgressError && error.code === 'too_large') throw invalidCard('is too large');
  if (error instanceof EgressError && !isBlocked(error) && error.code !== 'invalid')
    throw new ToolError('unavailable', `The server of the agent does not answer: ${error.message}`);
  return refuse(error);
}

function refuse(error: unknown): never {
  if (!(error instanceof EgressError)) throw error;
  if (isBlocked(error)) throw new ToolError('blocked_address', error.message);
  if (error.code === 'invalid') throw new ToolError('invalid', error.message);
  if (!error.wasSent) throw new ToolError('unavailable', error.message);
  throw new ToolError('remote_failed', `The remote agent does not answer: ${error.message}`);
}

function invalidCard(why: string): ToolError {
  return new ToolError('invalid_card', `The card of the agent ${why}. Ask whoever runs it.`);
}
