/** Waiting for the end of a question: held in memory for a while, then parked between looks. */
import { endOf, endWithout, questionById } from './answers.ts';
import type { OwnerParts } from './parts.ts';
import type { QuestionRow } from './schema.ts';

const MINUTE_MS = 60_000;
/** So long a call is held, and hears of an answer at once. */
const HELD_MS = 10 * MINUTE_MS;
const SHORTEST_MS = 15_000;
const LONGEST_MS = 5 * MINUTE_MS;
/** A signal may be missed, and a clock may be set. */
const LOOK_MS = 30_000;
const LOOK_BROKEN_MS = 1000;

/** The row once the question has ended, also by its deadline; undefined when it is still open at `until`. */
export async function untilEnded(
  parts: OwnerParts,
  id: string,
  until: number,
  signal: AbortSignal,
): Promise<QuestionRow | undefined> {
  const { store, now } = parts;
  for (;;) {
    const looked = new AbortController();
    // It listens before the row is read, so that no answer falls in between.
    const changed = store.signal.wait(endOf(id), {
      signal: AbortSignal.any([signal, looked.signal]),
      timeoutMs: Math.max(1, Math.min(until - now(), store.signal.isBroken() ? LOOK_BROKEN_MS : LOOK_MS)),
    });
    try {
      const question = await questionById(parts, id);
      if (question.status !== 'open') return question;
      if (question.deadline_at <= now()) return await endWithout(parts, id, 'timed_out');
      if (until <= now()) return undefined;
      await store.spending.wait('purpose', 'answer', changed);
      signal.throwIfAborted();
    } finally {
      looked.abort();
    }
  }
}

/**
 * When a task looks after its question: the first time is the end of the held wait, the last one is the deadline. In
 * between the pauses grow with the age of the question, so that a week of waiting is some thousand looks.
 */
export function* looksAt({
  askedAt,
  deadlineAt,
}: {
  askedAt: number;
  deadlineAt: number;
}): Generator<number> {
  let at = Math.min(deadlineAt, askedAt + HELD_MS);
  yield at;
  while (at < deadlineAt) {
    const pauseMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.round((at - askedAt) / 20)));
    at = Math.min(deadlineAt, at + pauseMs);
    yield at;
  }
}
