/** Words of a message that an answer repeats: bounded, so that nobody is answered with megabytes of their own. */
import { RPC } from '@parley/kit';
import { HttpRefusal } from '@parley/http';

/** The longest id of a message. */
export const MAX_ID = 4096;
/** The longest method, name or URI. */
export const MAX_WORD = 8192;

/** Refuses a message whose id, method, name or URI is longer than any that is meant. */
export function refuseLongWords(body: unknown): void {
  if (Array.isArray(body)) for (const message of body) refuseIn(message);
  else refuseIn(body);
}

function refuseIn(message: unknown): void {
  if (typeof message !== 'object' || message === null) return;
  // Whatever else they are, the stages that follow say what is wrong with them.
  const { id, method, params } = message as Record<string, unknown>;
  if (isLonger(id, MAX_ID)) throw tooLong('id', MAX_ID);
  if (isLonger(method, MAX_WORD)) throw tooLong('method', MAX_WORD);
  if (typeof params !== 'object' || params === null) return;
  // As above.
  const { name, uri } = params as Record<string, unknown>;
  if (isLonger(name, MAX_WORD)) throw tooLong('name', MAX_WORD);
  if (isLonger(uri, MAX_WORD)) throw tooLong('uri', MAX_WORD);
}

function isLonger(value: unknown, limit: number): boolean {
  return typeof value === 'string' && value.length > limit;
}

function tooLong(what: string, limit: number): HttpRefusal {
  return new HttpRefusal(400, `Invalid Request: ${what} has at most ${limit} characters`, {
    rpc: RPC.invalidRequest,
  });
}
