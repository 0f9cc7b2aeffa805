/** One effect for one `Idempotency-Key`: the first request works, the others get its answer. */
import type { Store, StoreTransaction } from '@parley/store';
import type { Selectable } from 'kysely';
import { conflict } from '../../faults.ts';
import type { IdempotencyRow } from '../../schema.ts';
import type { KeptAnswer, RepeatableRequest } from './claims.ts';
import {
  answerIn,
  claim,
  findClaim,
  KEEP_MS,
  keepAnswer,
  markApplied,
  release,
  removeClaim,
  takeOver,
  topicOf,
} from './claims.ts';

/** Does the work; `onChange` goes into the transaction of whatever it changes. */
export type Work = (onChange: (tx: StoreTransaction) => Promise<void>) => Promise<KeptAnswer>;

/** What `once` needs besides the request. */
export interface OnceOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  /** How long a repetition waits for the first request; 10 seconds unless told. */
  readonly waitMs?: number;
}

const WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 1000;

/** Runs the work unless it was done before; the answer is the same for every repetition. */
export async function once(
  options: OnceOptions,
  request: RepeatableRequest,
  work: Work,
): Promise<KeptAnswer> {
  const { store, now, waitMs = WAIT_MS } = options;
  const endMs = performance.now() + waitMs;
  for (;;) {
    const mine = await claim(store, request, now());
    if (mine !== undefined) return perform(options, request, mine, work);
    const woken = new AbortController();
    // Listens before it reads, so that an answer in between is not missed.
    const answered = store.signal.wait(topicOf(request), { signal: woken.signal, timeoutMs: LOOK_AGAIN_MS });
    try {
      const row = await findClaim(store, request);
      if (row === undefined) continue;
      const found = await settle(options, request, row);
      if (found.answer !== undefined) return found.answer;
      if (found.claim !== undefined) return await perform(options, request, found.claim, work);
      if (found.isGone) continue;
      if (performance.now() >= endMs)
        throw conflict(
          'A request with this Idempotency-Key is still being worked on. Try again in a moment.',
        );
      await answered;
    } finally {
      woken.abort();
    }
  }
}

interface Settled {
  readonly answer?: KeptAnswer;
  readonly claim?: string | undefined;
  readonly isGone?: boolean;
}

/** What a row that somebody else made means for this request; nothing of it: wait. */
async function settle(
  { store, now }: OnceOptions,
  request: RepeatableRequest,
  row: Selectable<IdempotencyRow>,
): Promise<Settled> {
  if (row.created_at <= now() - KEEP_MS) {
    await removeClaim(store, request, row.claim);
    return { isGone: true };
  }
  if (row.request_hash !== request.requestHash)
    throw conflict('This Idempotency-Key was used for another request. Use a new key for a new request.');
  if (row.state === 'answered') return { answer: answerIn(store, request, row) };
  if (row.lease_until > now()) return {};
  if (row.state === 'applied')
    throw conflict('This request was carried out, but its answer was lost. Read what it changed.');
  return { claim: await takeOver(store, request, row.claim, now()) };
}

async function perform(
  { store, onFault }: OnceOptions,
  request: RepeatableRequest,
  mine: string,
  work: Work,
): Promise<KeptAnswer> {
  const answer = await work((tx) => markApplied(tx, request, mine));
  try {
    // A failure of ours is not kept, so that the same request can succeed later.
    if (answer.status >= 500) await release(store, request, mine);
    else await keepAnswer(store, request, mine, answer);
  } catch (error) {
    // The work is done and its answer is here; only repetitions will not have it.
    onFault(error, 'feedback idempotency');
  }
  return answer;
}
