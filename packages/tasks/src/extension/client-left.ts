/** What it means that the client of an inline call is gone: a cancel, or only a lost connection. */
import type { Exchange } from '@parley/kit';

/** True once the client has cancelled its call. */
export function hasCancelled(exchange: Exchange): boolean {
  return exchange.signal().aborted && !hasLostConnection(exchange);
}

/** True when a 2025 client's connection has ended under its call, which cancels nothing. */
export function hasLostConnection({ info, signal }: Exchange): boolean {
  const { aborted, reason } = signal();
  return aborted && info.era === 'legacy' && codeOf(reason) === 'CONNECTION_CLOSED';
}

function codeOf(reason: unknown): unknown {
  return reason instanceof Error && 'code' in reason ? reason.code : undefined;
}
