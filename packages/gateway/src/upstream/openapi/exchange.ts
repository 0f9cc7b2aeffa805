/** One HTTP request to a service: through the egress guard, without redirects, within its time and size. */
import type { UpstreamTarget } from '@parley/connections';
import type { Egress, EgressInit, EgressResponse } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import { UpstreamFault } from '../link.ts';

/** What a request may take. */
export interface ExchangeLimits {
  readonly signal: AbortSignal;
  readonly limitMs: number;
  readonly maxBytes: number;
}

export interface Exchange extends ExchangeLimits {
  readonly egress: Egress;
  readonly target: Pick<UpstreamTarget, 'allow'>;
  /** True: it changes nothing, so it may be sent once more on a connection that closed before any answer. */
  readonly isRead: boolean;
}

/** What came back; the body is read once, and never beyond its limit. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** Throws an `UpstreamFault` when there is more than allowed, or it breaks off. */
  bytes(): Promise<Uint8Array>;
}

/** Sends a request, and gives what was answered to `use`; whatever is not read then is let go. */
export async function exchange<T>(
  url: URL,
  init: Pick<EgressInit, 'method' | 'headers' | 'body'>,
  { egress, target, signal, limitMs, maxBytes, isRead }: Exchange,
  use: (answered: Answered) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooLate()), limitMs);
  const any = AbortSignal.any([signal, late.signal]);
  const send = () =>
    egress.fetch(url, {
      ...init,
      allow: target.allow,
      signal: any,
      limitMs,
      redirect: 'manual',
      stream: true,
    });
  let answer: EgressResponse | undefined;
  try {
    answer = await send().catch((error: unknown) => {
      if (isRead && error instanceof EgressError && error.code === 'unreachable' && error.wasSent)
        return send();
      throw error;
    });
    const { status, headers } = answer;
    const whole = answer;
    return await use({ status, headers, bytes: () => bytesOf(whole, maxBytes) });
  } catch (error) {
    throw faultOf(error, answer !== undefined);
  } finally {
    clearTimeout(timer);
    answer?.cancel();
  }
}

async function bytesOf({ body, headers }: EgressResponse, maxBytes: number): Promise<Uint8Array> {
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLate(): UpstreamFault {
  return new UpstreamFault('timeout', 'The service did not answer in time. Try again later.');
}

function tooLarge(maxBytes: number): UpstreamFault {
  return new UpstreamFault(
    'invalid_result',
    `The service sent more than ${maxBytes} bytes. Ask for less at once, or raise metadata.gateway.maxResultBytes.`,
    { isOfCaller: true },
  );
}

const KINDS = {
  not_allowed: 'not_allowed',
  unreachable: 'unreachable',
  timeout: 'timeout',
  too_large: 'invalid_result',
  invalid: 'invalid_result',
} as const;

/** The fault behind an error; what a caller's own signal says stays as it is. */
function faultOf(error: unknown, hasAnswered: boolean): unknown {
  if (!(error instanceof EgressError)) return error;
  const { code, message, wasSent } = error;
  const isCut = hasAnswered && code === 'unreachable';
  return new UpstreamFault(
    isCut ? 'dropped' : KINDS[code],
    isCut ? 'The service broke its answer off.' : message,
    // What could not even be sent, or is only too much, says nothing about the service.
    { wasSent, isOfCaller: code === 'too_large' || (code === 'invalid' && !wasSent) },
  );
}
