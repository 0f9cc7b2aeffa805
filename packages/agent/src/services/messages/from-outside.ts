/** Messages of agents of other servers: into the inbox of the one that is offered, and its reply back. */
import { hash } from 'node:crypto';
import type { Store } from '@parley/store';
import type { RunRequest, RunResult } from '../../adapters/runner/runner.ts';
import { tooFull } from './refusals.ts';
import { acceptedMessages, insertRow, newRow } from './rows.ts';
import type { MessageRow } from './schema.ts';
import { createWaiting } from './waiting.ts';

/** A message from outside; the same key is the same message, however often it comes. */
export interface FromOutside extends Pick<RunRequest, 'agent' | 'prompt' | 'depth' | 'timeoutMs' | 'signal'> {
  readonly key: string;
}

/** Brings such a message into an inbox and waits for the reply. */
export function createFromOutside(parts: { readonly store: Store; readonly now: () => number }) {
  const { store, now } = parts;
  const { wait } = createWaiting(parts);

  return async (message: FromOutside): Promise<RunResult> => {
    const ended = await wait(await accepted(message), message.signal);
    return ended.status === 'replied'
      ? { status: 'completed', text: ended.reply }
      : { status: 'timeout', text: 'The agent did not answer in time.' };
  };

  function accepted({ agent, prompt, depth, timeoutMs, key }: FromOutside): Promise<MessageRow> {
    const { organizationId } = agent;
    const id = `msg_${hash('sha256', key, 'base64url').slice(0, 26)}`;
    return store.transaction(async (tx) => {
      await tx.exclusive(`agent-inbox ${agent.id}`);
      const before = await acceptedMessages(tx, organizationId)
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (before !== undefined) return before;
      const at = now();
      const full = await tooFull(tx, organizationId, agent, at);
      if (full !== undefined) throw full;
      const said = { organizationId, from: null, to: agent.id, thread: undefined, text: prompt, depth };
      const row = { ...newRow({ ...said, unattended: true }, at, id), wait_until: at + timeoutMs };
      await insertRow(tx, row);
      return row;
    });
  }
}
