/** Questions of 2025 servers: which client may be asked, and what a server hears when nobody is. */
import type { ClientCapabilities, InputRequest } from '@parley/kit';
import { isSupported, RPC } from '@parley/kit';
import { isObject } from '../../messages.ts';
import type { Message } from './messages.ts';

const METHODS = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

/** What is sent back: a result, or an error. */
export type Reply = { readonly result: unknown } | { readonly error: { code: number; message: string } };

/** The question in a request of a server; undefined when it is none that clients know. */
export function questionOf({ method, params }: Message): InputRequest | undefined {
  if (typeof method !== 'string' || !METHODS.has(method)) return undefined;
  if (method !== 'roots/list' && !isObject(params)) return undefined;
  // Its method is one of three, and only the client looks into the parameters.
  return (params === undefined ? { method } : { method, params }) as InputRequest;
}

/** True when the client has said that it can answer this. */
export function canAnswer(capabilities: ClientCapabilities, question: InputRequest): boolean {
  const isUrl = 'params' in question && 'mode' in question.params && question.params.mode === 'url';
  return isUrl ? capabilities.elicitation?.url !== undefined : isSupported(capabilities, question.method);
}

/** What a server hears whose question nobody is asked. */
export function declineOf(method: unknown): Reply {
  if (method === 'elicitation/create') return { result: { action: 'decline' } };
  // The code that the specification has for a person who says no.
  if (method === 'sampling/createMessage')
    return { error: { code: -1, message: 'The request was declined. Go on without it.' } };
  return { error: { code: RPC.methodNotFound, message: 'The client does not answer this method.' } };
}

/** What a server hears whose question was asked, and never answered. */
export function unansweredOf(method: unknown): Reply {
  return method === 'elicitation/create' ? { result: { action: 'cancel' } } : declineOf(method);
}

/** What is declared to a 2025 server: of what the client said, that which this era knows. */
export function declaredOf(capabilities: ClientCapabilities): Readonly<Record<string, unknown>> {
  const { sampling, elicitation, roots, extensions } = capabilities;
  const declared = { sampling, elicitation, roots, extensions };
  return Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined));
}
