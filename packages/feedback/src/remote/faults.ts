/** What can go wrong with another server, in texts of our own. */
import { ProtocolFault, RPC, ToolError } from '@parley/kit';

const MESSAGE_LENGTH = 500;
const MAX_SHOWN_SECONDS = 31_536_000;

/** The answer is none of this API. */
export function unexpected(): ToolError<'unavailable'> {
  return new ToolError('unavailable', 'Unexpected response from the feedback server');
}

/** The key is not accepted; no call can succeed, so it is a fault of the connection and not of the call. */
export function authenticationFailed(status: number): ProtocolFault {
  return new ProtocolFault(RPC.internalError, `Authentication failed: ${status}`, { status });
}

/** The server is of a version without this. */
export function notOffered(what: string): ToolError<'unavailable'> {
  return new ToolError('unavailable', `This feedback server does not offer ${what}`);
}

const CODES = new Map([
  [404, 'not_found'],
  [409, 'conflict'],
]);

/** The server refused the call. */
export function refused(status: number, message: string): ToolError {
  return new ToolError(CODES.get(status) ?? 'invalid', message);
}

/** The server asks for a pause that is longer than we wait. */
export function limited(message: string, seconds: number): ToolError<'rate_limited'> {
  const shown = Math.min(seconds, MAX_SHOWN_SECONDS);
  return new ToolError('rate_limited', `${sentence(message)} Try again in ${shown} seconds.`, {
    retryAfterSeconds: shown,
  });
}

/** The server failed, or no answer came. */
export function failed(
  message: string,
  { mayBeMade, seconds }: { readonly mayBeMade: boolean; readonly seconds?: number | undefined },
): ToolError<'unavailable'> {
  const made = mayBeMade ? ' The item may have been made: look before you try again.' : '';
  const when =
    seconds === undefined ? '' : ` The server asks to wait ${Math.min(seconds, MAX_SHOWN_SECONDS)} seconds.`;
  return new ToolError(
    'unavailable',
    `${sentence(message)}${when}${made}`,
    seconds === undefined ? undefined : { retryAfterSeconds: Math.min(seconds, MAX_SHOWN_SECONDS) },
  );
}

/** What an error answer says, cut; `body` is undefined when it is no JSON. */
export function messageOf(status: number, body: unknown): string {
  const error = fieldOf(body, 'error');
  const text = fieldOf(error, 'message') ?? error;
  return (typeof text === 'string' && text !== '' ? text : `HTTP ${status}`).slice(0, MESSAGE_LENGTH);
}

/** One field of what may be an object. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
