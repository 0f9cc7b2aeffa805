/** Waiting for the reply to a message, wherever it comes from. */
import { ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import { learn } from './breaker.ts';
import { acceptedMessages, changeRow, MESSAGE, replyTo } from './rows.ts';
import type { MessageRow } from './schema.ts';

/** What came back; a recipient that has failed is a fault. */
export type Ended = { readonly status: 'replied'; readonly reply: string } | { readonly status: 'pending' };

/** Signals of other processes may be lost with a connection, so everybody looks now and then. */
const LOOK_EVERY_MS = 5000;

export function createWaiting({ store, now }: { readonly store: Store; readonly now: () => number }) {
  /** Waits for the reply of whoever has the message. */
  async function wait(row: MessageRow, signal: AbortSignal): Promise<Ended> {
    const endsMs = performance.now() + (row.wait_until ?? 0) - now();
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    try {
      for (;;) {
        const leftMs = endsMs - performance.now();
        const timeoutMs = Math.max(1, Math.min(leftMs, LOOK_EVERY_MS));
        const next = store.signal.wait(MESSAGE + row.id, { signal: either, timeoutMs });
        const reply = await taken(row);
        if (reply !== undefined) return reply;
        signal.throwIfAborted();
        if (leftMs <= 0) return await pending(row);
        await store.spending.wait('purpose', 'reply', next);
      }
    } finally {
      over.abort();
    }
  }

  async function pending(row: MessageRow) {
    const to = { organizationId: row.organization_id, agentId: row.to_agent ?? '' };
    await store.transaction((tx) => learn(tx, to, row.id, 'neither', now()));
    return { status: 'pending' as const };
  }

  /** The reply, which counts as read from then on; throws when the recipient has failed. */
  async function taken(row: MessageRow) {
    const query = acceptedMessages(store, row.organization_id).selectAll().where('id', '=', row.id);
    const current = await query.executeTakeFirst();
    if (current === undefined) throw new ToolError('not_found', 'The recipient, or its inbox, is gone.');
    if (current.status !== 'replied' && current.status !== 'failed') return undefined;
    const reply = await replyTo(store, row.id);
    if (reply !== undefined)
      await store.transaction((tx) => changeRow(tx, reply, { status: 'replied', lease_until: null }, now()));
    if (current.status === 'failed')
      throw new ToolError(current.code ?? 'runner_failed', reply?.text ?? 'The recipient failed.');
    return { status: 'replied' as const, reply: reply?.text ?? '' };
  }

  return { wait, taken };
}
