/** Deleting what is old: small batches on connections that no request waits for, with a pause after each. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Store, StoreTransaction } from './store.ts';

/** A batch that had to wait for somebody makes the next one wait no longer than this. */
const LONGEST_PAUSE_MS = 1_000;

/** Resolves after a pause as long as the work took, so that half of the database is left to those who write. */
export async function pauseAfter(startedMs: number): Promise<void> {
  await delay(Math.min(performance.now() - startedMs, LONGEST_PAUSE_MS));
}

/** Runs a batch after the other, each in a transaction of its own, while there is more and nobody stops it. */
export async function inBatches(
  store: Pick<Store, 'transaction' | 'letWritersThrough'>,
  batch: (tx: StoreTransaction) => Promise<'more' | 'done'>,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    if (signal?.aborted === true) return;
    const startedMs = performance.now();
    if ((await store.transaction(batch, { lane: 'tidying' })) === 'done') return;
    await store.letWritersThrough();
    await pauseAfter(startedMs);
  }
}
