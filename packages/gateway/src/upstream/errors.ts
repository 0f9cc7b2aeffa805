/** From what went wrong with an upstream to what its caller is told: a code, a sentence, and when to try again. */
import { ProtocolFault, RPC, ToolError } from '@parley/kit';
import type { UpstreamFault } from './link.ts';
import { requiredCapabilitiesIn } from './required-capabilities.ts';

/** What a request was about, as far as its failure has to be told. */
export interface Asked {
  /** The title of the connection. */
  readonly title: string;
  readonly method: string;
  /** False: it may have changed something, and after some failures nobody knows whether it did. */
  readonly isRead: boolean;
  /** True: its client is of 2026-07-28, and knows the errors of that. */
  readonly isModern: boolean;
  /** Makes words of the upstream fit to be shown. */
  shown(text: string): string;
  /** Where its caller can sign in to the upstream. */
  readonly signInAt?: string | undefined;
}

/** Why an upstream is `unavailable`: the plain route answers each with a status of its own. */
export type Unavailable = 'unreachable' | 'breaker_open' | 'not_allowed' | 'broken' | 'dropped';

const LONGEST_WORDS = 500;
const RETRY_MS = 5_000;
/** What servers of both eras answer to a URI that they do not have. */
const NO_RESOURCE = new Set([-32002, -32602]);
const INVALID_PARAMS = -32602;

/** The error that a caller gets for a fault. */
export function errorOf(fault: UpstreamFault, asked: Asked): ToolError | ProtocolFault {
  const { title } = asked;
  const words = wordsOf(fault.message, asked);
  switch (fault.kind) {
    case 'unreachable':
      return unavailable('unreachable', `${title} cannot be reached right now.${words}`, {
        retryAfterMs: fault.retryAfterMs ?? RETRY_MS,
      });
    case 'not_allowed':
      return unavailable('not_allowed', `${title} may not be reached from this server.${words}`);
    case 'broken':
      return unavailable('broken', `${title} failed.${words}${againUnlessIn(words)}`, retryIn(fault));
    case 'dropped':
      return unavailable(
        'dropped',
        `${title} ended before it had answered.${unknownOutcome(fault, asked)}`,
        outcomeOf(fault, asked),
      );
    case 'timeout':
      return new ToolError(
        'timeout',
        `${title} did not answer in time.${unknownOutcome(fault, asked)}`,
        outcomeOf(fault, asked),
      );
    case 'auth_required':
      return signInNeeded(fault, asked);
    case 'forbidden':
      return new ToolError('forbidden', `Refused by upstream: ${title} does not allow this.${words}`, {
        by: 'upstream',
      });
    case 'rate_limited':
      return new ToolError(
        'rate_limited',
        `${title} takes no more requests right now. Try again later.`,
        retryIn(fault),
      );
    case 'invalid_result':
      return new ToolError('invalid_result', `${title} gave an answer that cannot be used.${words}`);
    case 'changed':
      return new ToolError(
        'conflict',
        `A tool of ${title} has just changed. List the tools and call it again.`,
      );
    case 'rpc':
      return rpcError(fault, asked);
  }
}

/** The error for an upstream that is not asked, because it failed too often. */
export function breakerOpen(title: string, retryAfterMs: number): ToolError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return unavailable('breaker_open', `${title} has failed too often. Try again in ${seconds} s.`, {
    retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)),
  });
}

/** The error for a call that found no place. */
export function tooBusy(title: string): ToolError {
  return new ToolError('rate_limited', `Too many calls of ${title} are under way. Try again in a moment.`, {
    retryAfterMs: 1_000,
  });
}

/** The answer for a tool whose definition nobody has agreed to. */
export function quarantined(tool: string, title: string): ToolError {
  return new ToolError(
    'quarantined',
    `The definition of ${tool} of ${title} is new or has changed. An owner or administrator has to approve it first.`,
  );
}

/** The answer for a call whose questions waited in a process that is gone. */
export function lostCall(title: string, isRead: boolean): ToolError {
  const message = `The call of ${title} was lost while it waited.`;
  // What only reads can be asked for anew, question and all.
  return isRead
    ? unavailable('dropped', `${message} Call it again.`)
    : unavailable('dropped', `${message} Its outcome is unknown.`, { outcome: 'unknown' });
}

function unavailable(reason: Unavailable, message: string, more: object = {}): ToolError {
  return new ToolError('unavailable', message, { reason, ...more });
}

function signInNeeded(fault: UpstreamFault, asked: Asked): ToolError {
  const { title, signInAt } = asked;
  // Whoever looked for credentials has said what the person can do, and where.
  if (fault.link !== undefined)
    return new ToolError('auth_required', fault.message, { authorizeUrl: fault.link });
  const where = signInAt === undefined ? '' : ` Sign in at ${signInAt}.`;
  return new ToolError(
    'auth_required',
    `${title} wants to know who you are.${wordsOf(fault.message, asked)}${where}`,
    signInAt === undefined ? undefined : { authorizeUrl: signInAt },
  );
}

function rpcError({ rpc }: UpstreamFault, asked: Asked): ToolError | ProtocolFault {
  const { title, method } = asked;
  const code = rpc?.code ?? 0;
  // What the client did not declare, it can declare: it hears of it as from the server itself.
  if (code === RPC.missingCapability && asked.isModern) return missingCapabilityOf(rpc);
  const said = clipped(asked.shown(rpc?.message ?? ''));
  if (method === 'resources/read' && NO_RESOURCE.has(code))
    return new ToolError('not_found', `${title} has no such resource.`);
  if (code === INVALID_PARAMS) return new ToolError('invalid', `${title} refused the arguments: ${said}`);
  return new ToolError('upstream_error', `${title} answered with error ${code}: ${said}`, {
    upstream: { code, message: said },
  });
}

function missingCapabilityOf(rpc: UpstreamFault['rpc']): ProtocolFault {
  const message = 'The client did not declare a capability that this request needs.';
  const requiredCapabilities = requiredCapabilitiesIn(rpc?.data);
  return new ProtocolFault(RPC.missingCapability, message, { requiredCapabilities });
}

function wordsOf(message: string, asked: Asked): string {
  const words = clipped(asked.shown(message));
  return words === '' ? '' : ` ${words}`;
}

const AGAIN = ' Try again later.';

/** The advice to come back, unless the words end with it already. */
function againUnlessIn(words: string): string {
  return words.endsWith(AGAIN) ? '' : AGAIN;
}

function clipped(text: string): string {
  return text.length <= LONGEST_WORDS ? text : `${text.slice(0, LONGEST_WORDS - 3)}...`;
}

function retryIn({ retryAfterMs }: UpstreamFault): { retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

/** Nobody knows whether something was done that was sent and not answered. */
function isUnknown({ wasSent }: UpstreamFault, { isRead }: Asked): boolean {
  return wasSent && !isRead;
}

function unknownOutcome(fault: UpstreamFault, asked: Asked): string {
  return isUnknown(fault, asked)
    ? ' The outcome is unknown: look whether it was done before you try again.'
    : AGAIN;
}

function outcomeOf(fault: UpstreamFault, asked: Asked): { outcome: 'unknown' } | undefined {
  return isUnknown(fault, asked) ? { outcome: 'unknown' } : undefined;
}
