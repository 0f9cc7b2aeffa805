/** Owns turning what the transport received into a capped answer, and letting go of what nobody reads. */
import type { Dispatcher } from 'undici';
import { collect, decode, readRaw } from './body.ts';
import { invalid, tooLarge } from './errors.ts';
import type { EgressLimits } from './policy.ts';
import type { Hop } from './redirect.ts';
import type { EgressResponse } from './response.ts';
import { collectedResponse, streamedResponse } from './response.ts';
import type { Timer } from './timer.ts';

/** The last request of a fetch and what the transport received for it. */
export interface Answer {
  readonly data: Dispatcher.ResponseData;
  readonly hop: Hop;
}

/** How an answer is read. */
export interface AnswerOptions {
  readonly timer: Timer;
  readonly limits: EgressLimits;
  readonly isStream: boolean;
}

/** Collects the body within all limits, or hands it over as a stream with an idle limit. */
export async function toResponse(answer: Answer, options: AnswerOptions): Promise<EgressResponse> {
  const { data, hop } = answer;
  const { timer, limits, isStream } = options;
  const headers = toHeaders(data.headers);
  const head = { status: data.statusCode, headers, url: hop.url.href };
  try {
    const body = guardedBody(answer, headers, options);
    if (!isStream) {
      const bytes = await collect(body, limits.maxBytes);
      timer.stop();
      return collectedResponse(head, bytes);
    }
    timer.restart(limits.streamIdleMs);
    const cancel = (): void => {
      timer.stop();
      timer.abort(invalid('The body was cancelled. Send the request again to read it.'));
      discard(data);
    };
    return streamedResponse(head, body, { maxBytes: limits.maxBytes, cancel });
  } catch (error) {
    discard(data);
    throw error;
  }
}

/** Lets go of a body that nobody will read. */
export function discard(data: Dispatcher.ResponseData): void {
  ignoreErrors(data).destroy();
}

function guardedBody(answer: Answer, headers: Headers, options: AnswerOptions): AsyncIterable<Uint8Array> {
  const { data, hop } = answer;
  const { timer, limits, isStream } = options;
  const raw = readRaw(ignoreErrors(data), timer, isStream ? limits.streamIdleMs : undefined);
  if (hop.method === 'HEAD' || data.statusCode === 204 || data.statusCode === 304) return raw;
  if (!isStream && Number(headers.get('content-length') ?? 0) > limits.maxBytes) throw tooLarge('body');
  const coding = headers.get('content-encoding');
  const body = decode(raw, coding, limits.maxCompressionRatio);
  if (body !== raw) {
    // both describe the transfer, which the reader no longer sees
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  return body;
}

function ignoreErrors(data: Dispatcher.ResponseData): Dispatcher.ResponseData['body'] {
  // a body that breaks before anyone reads it must not end the process; a later read still sees the error
  return data.body.on('error', () => undefined);
}

function toHeaders(incoming: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  return headers;
}
