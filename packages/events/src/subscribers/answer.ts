/** What a subscriber answers to `ON_EVENTS`, and what that means for each event. */
import * as z from 'zod';
import type { CloudEvent } from '../cloud-event.ts';
import type { Attempt } from '../delivery/parts.ts';

const ERROR_LENGTH = 500;
const DAY_MS = 24 * 60 * 60_000;

const Outcome = z.object({
  success: z.boolean().optional(),
  error: z.string().optional(),
  retryAfter: z.number().min(1).max(DAY_MS).optional(),
});
const Answer = Outcome.extend({
  processedCount: z.number().optional(),
  results: z.record(z.string(), Outcome).optional(),
});

/** How a call of a subscriber ended. */
export type DeliveryAnswer =
  /** It answered; what it said is checked here. */
  | { readonly kind: 'answered'; readonly answer: unknown }
  /** It failed, hung or could not be reached. */
  | { readonly kind: 'failed'; readonly error: string }
  /** It will never take them: it has no such tool, is gone, or said so. */
  | { readonly kind: 'declined'; readonly error: string }
  /** It takes nothing from us until it is authorised again. */
  | { readonly kind: 'unauthorized'; readonly error: string }
  /** Nobody here can call it; it may say itself that they arrived. */
  | { readonly kind: 'waiting'; readonly error: string };

/** The outcome of each event that was sent. */
export function outcomesOf(events: readonly CloudEvent[], given: DeliveryAnswer): Map<string, Attempt> {
  if (given.kind !== 'answered') return forAll(events, attemptOf(given));
  const parsed = Answer.safeParse(given.answer);
  if (!parsed.success) return forAll(events, failed('The answer of ON_EVENTS is not in its form.'));
  const { results = {}, ...batch } = parsed.data;
  const rest = outcomeOf(batch);
  return new Map(
    events.map(({ id }) => {
      const own = Object.hasOwn(results, id) ? results[id] : undefined;
      return [id, own === undefined ? rest : outcomeOf(own)];
    }),
  );
}

function forAll(events: readonly CloudEvent[], attempt: Attempt): Map<string, Attempt> {
  return new Map(events.map(({ id }) => [id, attempt]));
}

function attemptOf(given: Exclude<DeliveryAnswer, { kind: 'answered' }>): Attempt {
  const error = short(given.error);
  if (given.kind === 'failed') return failed(error);
  if (given.kind === 'declined') return { outcome: 'dead', statusCode: null, error };
  return { outcome: given.kind === 'unauthorized' ? 'paused' : 'waiting', error };
}

function outcomeOf({ success, error, retryAfter }: z.output<typeof Outcome>): Attempt {
  if (retryAfter !== undefined) return { outcome: 'deferred', delayMs: Math.ceil(retryAfter) };
  // Silence is consent: an answer without an error is a success.
  if (success ?? error === undefined) return { outcome: 'delivered', statusCode: null };
  return failed(short(error ?? 'The subscriber said that it failed.'));
}

function failed(error: string): Attempt {
  return { outcome: 'failed', statusCode: null, error };
}

function short(text: string): string {
  return text.replaceAll('\0', '').slice(0, ERROR_LENGTH);
}
