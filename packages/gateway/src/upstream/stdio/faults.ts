/** The words for what goes wrong with a program. */
import { UpstreamFault } from '../link.ts';

interface Sent {
  /** False: nothing of the request has left. */
  readonly wasSent: boolean;
}

// More than anybody is shown: secrets are looked for in it first, so that none is cut in two.
const MOST_LOOKED_AT = 20_000;

export function invalid(message: string): UpstreamFault {
  return new UpstreamFault('invalid_result', message);
}

/** More than is taken at once, which says nothing of the health of the program. */
export function tooLong(message: string): UpstreamFault {
  return new UpstreamFault('invalid_result', message, { isOfCaller: true });
}

export function outOfTime({ wasSent }: Sent = { wasSent: true }): UpstreamFault {
  return new UpstreamFault('timeout', 'The program did not answer in time. Try again later.', { wasSent });
}

export function ended({ wasSent }: Sent): UpstreamFault {
  return new UpstreamFault(
    'dropped',
    'The program ended before it answered. It is started again with the next call.',
    { wasSent },
  );
}

export function unreachable(message: string, retryAfterMs?: number): UpstreamFault {
  return new UpstreamFault('unreachable', message, { wasSent: false, retryAfterMs });
}

/** An error of JSON-RPC, its words without secrets. */
export function rpcFault(
  { code, message, data }: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): UpstreamFault {
  const words = typeof message === 'string' ? shortWords(message, secrets) : '';
  const rpc = {
    code: typeof code === 'number' && Number.isSafeInteger(code) ? code : -32603,
    message: words,
    ...(data !== undefined && { data }),
  };
  return new UpstreamFault('rpc', `The program answered with an error: ${words}`, { rpc });
}

function shortWords(text: string, secrets: readonly string[]): string {
  let words = text.slice(0, MOST_LOOKED_AT);
  for (const secret of secrets) if (secret !== '') words = words.replaceAll(secret, '[secret]');
  return words;
}
