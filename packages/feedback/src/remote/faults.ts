/** What can go wrong with another server, in texts of our own. */
import { ProtocolFault, RPC, ToolError } from '@parley/kit';

const MESSAGE_LENGTH = 500;
const MAX_SHOWN_SECONDS = 31_536_000;

/** An answer came that is none of this API; another attempt would bring the same. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
  /** False when the server says itself that it has not acted. */
  readonly mayHaveActed: boolean;

  constructor(cause: string, mayHaveActed = true) {
    super(cause);
    this.mayHaveActed = mayHaveActed;
  }
}

/** The error for such an answer; `after` tells what may have happened all the same. */
export function unexpected(cause: string, after = ''): ToolError<'unavailable'> {
  return new ToolError(
    'unavailable',
    `Unexpected response from the feedback server: ${sentence(cause)}${after}`,
  );
}

/** The key is not accepted; no call can succeed, so it is a fault of the connection and not of the call. */
export function authenticationFailed(status: number): ProtocolFault {
  return new ProtocolFault(RPC.internalError, `Authentication failed: ${status}`, { status });
}

/** The server is of a version without this. */
export class NotOffered extends ToolError<'unavailable'> {
  constructor(what: string, message = `This feedback server does not offer ${what}`) {
    super('unavailable', message);
  }
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
  { after = '', seconds }: { readonly after?: string; readonly seconds?: number | undefined } = {},
): ToolError<'unavailable'> {
  const shown = seconds === undefined ? undefined : Math.min(seconds, MAX_SHOWN_SECONDS);
  const when = shown === undefined ? '' : ` The server asks to wait ${shown} seconds.`;
  const data = shown === undefined ? undefined : { retryAfterSeconds: shown };
  return new ToolError('unavailable', `${sentence(message)}${when}${after}`, data);
}

/** What an error answer says, cut; `body` is undefined when it is no JSON. */
export function messageOf(status: number, body: unknown): string {
  const error = fieldOf(body, 'error');
  const text = fieldOf(error, 'message') ?? error ?? fieldOf(body, 'message');
  if (typeof text !== 'string' || text === '') return `HTTP ${status}`;
  return (text === 'Invalid request body' ? text + fieldsIn(error) : text).slice(0, MESSAGE_LENGTH);
}

/** The fields that the server found wrong, for a message that does not name them. */
function fieldsIn(error: unknown): string {
  const errors = fieldOf(fieldOf(error, 'details'), 'errors');
  if (typeof errors !== 'object' || errors === null) return '';
  const named = Object.entries(errors).slice(0, 10);
  return named.length === 0 ? '' : `: ${named.map(([name, why]) => `${name} (${String(why)})`).join(', ')}`;
}

/** One field of what may be an object. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

/** The names as a list that a person reads. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** A text with an end. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
