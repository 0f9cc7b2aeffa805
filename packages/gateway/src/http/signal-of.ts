/** Turns the leaving of a client, or the end of this server, into a signal. */
import type { ServerResponse } from 'node:http';
import { ToolError } from '@parley/kit';

const cut = new WeakSet<ServerResponse>();

/** Says beforehand that it is this server which ends a request, not its client. */
export function cutByStop(res: ServerResponse): void {
  cut.add(res);
}

/** Fires when the client goes before it has its answer. */
export function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableEnded) controller.abort(cut.has(res) ? stopped() : undefined);
  };
  if (res.destroyed) abort();
  else res.once('close', abort);
  return controller.signal;
}

function stopped(): ToolError {
  const message = 'The server stopped before the call had an answer. The outcome is unknown.';
  return new ToolError('unavailable', message, { outcome: 'unknown' });
}
