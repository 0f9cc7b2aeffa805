/** One effect for one `Idempotency-Key`: the first request works, the others get its answer. */
import { ToolError } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { Claims, ClaimRow, KeptAnswer, RepeatableRequest } from './claims.ts';
import { KEEP_MS } from './claims.ts';

/** Goes into the transaction of whatever the work changes. */
export type OnChange = (tx: StoreTransaction) => Promise<void>;

/** Does the work; `onChange` must run in the transaction of what it changes. */
export type Work = (onChange: OnChange) => Promise<KeptAnswer>;

export interface OnceOptions {
  readonly store: Store;
  readonly claims: Claims;
  readonly now: () => number;
  /** Told when an answer could not be kept. */
  readonly onFault: (error: unknown) => void;
  /** How long a repetition waits for the first request; 10 seconds by default. */
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
  const { store, claims, now, waitMs = WAIT_MS } = options;
  const endMs = performance.now() + waitMs;
  for (;;) {
    const mine = await claims.claim(request, now());
    if (mine !== undefined) return perform(options, request, mine, work);
    const woken = new AbortController();
    // Listens before it reads, so that an answer in between is not missed.
    const topic = claims.topicOf(request);
    const answered = store.signal.wait(topic, { signal: woken.signal, timeoutMs: LOOK_AGAIN_MS });
    try {
      const row = await claims.find(request);
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

/** What a row that somebody else made means for this request; an empty object means to wait. */
async function settle(
  { claims, now }: OnceOptions,
  request: RepeatableRequest,
  row: ClaimRow,
): Promise<Settled> {
  if (row.created_at <= now() - KEEP_MS) {
    await claims.remove(request, row.claim);
    return { isGone: true };
  }
  if (row.request_hash !== request.requestHash)
    throw conflict('This Idempotency-Key was used for another request. Use a new key for a new request.');
  if (row.state === 'answered') return { answer: claims.answerIn(request, row) };
  if (row.lease_until > now()) return {};
  if (row.state === 'applied')
    throw conflict('This request was carried out, but its answer was lost. Read what it changed.');
  return { claim: await claims.takeOver(request, row.claim, now()) };
}

async function perform(
  { claims, onFault }: OnceOptions,
  request: RepeatableRequest,
  mine: string,
  work: Work,
): Promise<KeptAnswer> {
  const answer = await work((tx) => claims.markApplied(tx, request, mine));
  try {
    // A failure of ours is not kept, so that the same request can succeed later.
    if (answer.status >= 500) await claims.release(request, mine);
    else await claims.keep(request, mine, answer);
  } catch (error) {
    // The work is done and its answer is here; only repetitions will not have it.
    onFault(error);
  }
  return answer;
}

function conflict(message: string): ToolError<'conflict'> {
  return new ToolError('conflict', message);
}
