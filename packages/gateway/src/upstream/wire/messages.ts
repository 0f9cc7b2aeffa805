/** Messages of JSON-RPC as they come from an upstream: parsed within limits, looked at no further than needed. */
import type { InboundLimits } from '@parley/http';
import { DEFAULT_INBOUND_LIMITS, HttpRefusal, parseJson } from '@parley/http';
import { isObject } from '../../messages.ts';
import type { UpstreamFault } from '../link.ts';
import { badResult, rpcErrorIn, rpcFault } from './faults.ts';

export type Message = Readonly<Record<string, unknown>>;
export type Result = Readonly<Record<string, unknown>>;

// Bytes bound the number of values.
const LIMITS = { ...DEFAULT_INBOUND_LIMITS, jsonValues: Number.MAX_SAFE_INTEGER };
// Whoever reads a list looks at each definition, and leaves out those that are too deep: the others shall not suffer.
const LIST_LIMITS = { ...LIMITS, jsonDepth: 1_000 };

/** The messages of a text: one, or those of a batch, which servers of 2025-03-26 may send. */
export function messagesIn(text: string, isList = false): readonly Message[] {
  const parsed = parsedOf(text, isList ? LIST_LIMITS : LIMITS);
  const messages: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  for (const message of messages) {
    if (!isObject(message) || message.jsonrpc !== '2.0')
      throw badResult('it sent something else than JSON-RPC');
  }
  // Each of them was looked at.
  return messages as readonly Message[];
}

/** The same for what comes to many: each of them knows how deep its answer may be. */
export function messagesOfAny(text: string): {
  readonly messages: readonly Message[];
  readonly isDeep: boolean;
} {
  try {
    return { messages: messagesIn(text), isDeep: false };
  } catch {
    // Whatever else is wrong with it is found again.
    return { messages: messagesIn(text, true), isDeep: true };
  }
}

export function tooDeep(): UpstreamFault {
  return badResult(`it sent JSON that is nested deeper than ${LIMITS.jsonDepth} levels`);
}

/** The error in the body of an answer that refuses; undefined when there is none. */
export function rpcErrorOf(text: string): UpstreamFault['rpc'] {
  try {
    const parsed = text === '' ? undefined : parsedOf(text, LIMITS);
    return isObject(parsed) ? rpcErrorIn(parsed.error) : undefined;
  } catch {
    // Pages and sentences are what servers of other kinds refuse with.
    return undefined;
  }
}

function parsedOf(text: string, limits: InboundLimits): unknown {
  try {
    return parseJson(text, limits);
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
    throw badResult(`it sent no JSON, or JSON that is nested deeper than ${limits.jsonDepth} levels`);
  }
}

/** True for the answer to a request, whichever. */
export function isResponse(message: Message): boolean {
  return message.method === undefined && ('result' in message || 'error' in message);
}

/** The result of the request with this id. */
export function resultOf(message: Message, id: number): Result {
  if ('error' in message && (message.id === id || message.id === null || message.id === undefined)) {
    const rpc = rpcErrorIn(message.error);
    throw rpc === undefined ? badResult('its error has no code') : rpcFault(rpc);
  }
  if (message.id !== id) throw badResult('its answer has the id of another request');
  if (!isObject(message.result)) throw badResult('its result is not an object');
  return message.result;
}

let lastId = 0;

/** An id that no other request of this process has. */
export function nextId(): number {
  lastId += 1;
  return lastId;
}
