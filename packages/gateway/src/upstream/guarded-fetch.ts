/** Requests to an upstream: through the egress guard, without redirects, and never more bytes than allowed. */
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Egress, EgressResponse } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import type { Sightings } from './faults.ts';
import { MAX_ANSWER_BYTES } from './limits.ts';

const BODILESS = new Set([204, 205, 304]);

/** A fetch for one conversation: what all its answers send is counted together. */
export function guardedFetch(
  egress: Egress,
  {
    seen,
    ended,
    allow,
  }: { readonly seen: Sightings; readonly ended: AbortSignal; readonly allow: readonly string[] },
): FetchLike {
  let left = MAX_ANSWER_BYTES;
  const take = (chunk: Uint8Array) => {
    left -= chunk.byteLength;
    if (left >= 0) return;
    seen.isTooLarge = true;
    throw new EgressError('too_large', 'The server sent too much.');
  };
  return async (url, init = {}) => {
    const isMessage = init.method === 'POST';
    const signals = [ended, ...(init.signal ? [init.signal] : [])];
    const request = {
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      signal: AbortSignal.any(signals),
      redirect: 'manual' as const,
      allow,
      stream: true,
      ...(typeof init.body === 'string' && { body: init.body }),
    };
    let answer: EgressResponse;
    try {
      answer = await egress.fetch(url, request);
    } catch (error) {
      if (error instanceof EgressError && !ended.aborted) seen.egress = error;
      throw error;
    }
    const { status, headers } = answer;
    // What stands beside messages, such as a stream that a server need not have, says nothing about it.
    if (isMessage || !seenMessage(seen))
      seen.refusedWith = status >= 200 && status < 300 ? undefined : status;
    seen.egress = undefined;
    if (!BODILESS.has(status)) return new Response(bodyOf(answer, take), { status, headers });
    answer.cancel();
    return new Response(null, { status, headers });
  };
}

/** True once a message was answered, so that the kind of the conversation is known. */
function seenMessage(seen: Sightings): boolean {
  return 'refusedWith' in seen;
}

function bodyOf(answer: EgressResponse, take: (chunk: Uint8Array) => void): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        chunks ??= answer.body[Symbol.asyncIterator]();
        const { value, done } = await chunks.next();
        if (done === true) {
          controller.close();
          return;
        }
        take(value);
        controller.enqueue(value);
      } catch (error) {
        answer.cancel();
        controller.error(error);
      }
    },
    cancel: () => answer.cancel(),
  });
}
