/** An upstream while it is asked on behalf of nobody who could be asked back: within one time, over whatever carries it. */
import type { CallLimits } from '@parley/connections';
import { OutOfTime } from './faults.ts';
import type { Link } from './link.ts';

/** What can be asked of it. */
export interface Asked {
  capabilities(): Promise<Readonly<Record<string, unknown>>>;
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** Runs work that ends when its time is over or somebody ends it. */
export async function withinTime<T>(
  { limitMs, signal: stop }: CallLimits & { readonly limitMs: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const end = () => ended.abort(new OutOfTime());
  const timer = setTimeout(end, limitMs);
  stop?.addEventListener('abort', end, { once: true });
  if (stop?.aborted === true) end();
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', end);
  }
}

/** Asks over a link. */
export function askedOver(link: Link, signal: AbortSignal, limitMs: number): Asked {
  return {
    capabilities: async () => (await link.facts(signal)).capabilities,
    request: (method, params) => link.request({ method, params, capabilities: {}, signal, limitMs }),
  };
}
