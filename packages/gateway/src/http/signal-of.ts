/** Turns the leaving of a client into a signal. */
import type { ServerResponse } from 'node:http';

/** Fires when the client goes before it has its answer. */
export function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableEnded) controller.abort();
  };
  if (res.destroyed) abort();
  else res.once('close', abort);
  return controller.signal;
}
