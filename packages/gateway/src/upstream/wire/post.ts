/** One message to an upstream and what comes back on its own answer, as JSON or as a stream of events. */
import type { Lane, LineAnswer, LineHead } from '@parley/kit/egress';
import { UpstreamFault } from '../link.ts';
import type { Address, HeaderWishes } from './address.ts';
import { EventParser } from './event-stream.ts';
import { badResult, faultOf, faultOfStatus } from './faults.ts';
import type { Message } from './messages.ts';
import { messagesIn, messagesOfAny, rpcErrorOf } from './messages.ts';

/** What is sent, and within which limits. */
export interface Sending {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly body?: string;
  /** Headers of the protocol. */
  readonly protocol: Readonly<Record<string, string>>;
  readonly wishes?: HeaderWishes | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whose sockets it takes: a call unless told. */
  readonly lane?: Lane | undefined;
  readonly limitMs: number;
  readonly idleMs: number;
  readonly maxBytes: number;
  /** True: sent once more when the connection closes before any answer. */
  readonly isRead?: boolean | undefined;
  /** True: the answer is a list, whose items are looked at one by one. */
  readonly isList?: boolean | undefined;
  /** True: answers to many requests come as events, and whoever hears one looks whether it may be so deep. */
  readonly isForMany?: boolean | undefined;
  /** True: it is no request, so whatever stands in an answer of 2xx says nothing. */
  readonly isAside?: boolean | undefined;
}

/** Who hears what comes. */
export interface Hearing {
  /** Takes a message; true when nothing more is wanted. `isDeep`: deeper than anything but a list may be. */
  on(message: Message, isDeep?: boolean): boolean;
  /** Until when, by `performance.now()`, the server had to wait for us. */
  heldUpUntilMs?(): number;
  /** Told when the stream has opened. */
  onOpen?(): void;
  /** Takes an event that is no message. */
  onOther?(type: string, data: string): void;
  /** Told whenever something came. */
  onBytes?(): void;
}

/** How far it came. */
export interface Heard {
  readonly status: number;
  readonly headers: LineHead['headers'];
  /** True: the answer was a stream, which may be resumed. */
  readonly isStream: boolean;
  /** What ended a stream too early. */
  readonly fault: UpstreamFault | undefined;
  readonly lastId: string | undefined;
  readonly retryMs: number | undefined;
}

/** Sends; throws an `UpstreamFault`, or the reason of the signal, where nothing can be resumed. */
export async function send(address: Address, sending: Sending, hearing: Hearing): Promise<Heard> {
  let parser: EventParser | undefined;
  let head: LineHead | undefined;
  const readerFor = (given: LineHead) => {
    head = given;
    if (given.status !== 200 || typeOf(given) !== 'text/event-stream') return undefined;
    let isDone = false;
    const events = new EventParser(sending.maxBytes, (data, type) => {
      if (isDone) return;
      if (type !== '' && type !== 'message') return hearing.onOther?.(type, data);
      const { messages, isDeep } = sending.isForMany
        ? messagesOfAny(data)
        : { messages: messagesIn(data, sending.isList), isDeep: false };
      for (const message of messages) isDone = hearing.on(message, isDeep) || isDone;
    });
    parser = events;
    hearing.onOpen?.();
    const read = (chunk: Uint8Array) => {
      hearing.onBytes?.();
      events.push(chunk);
      return isDone;
    };
    return { read, heldUpUntilMs: () => hearing.heldUpUntilMs?.() ?? 0 };
  };
  const { method, body, protocol, wishes, signal, limitMs, idleMs, maxBytes, lane } = sending;
  const headers = address.headers(protocol, wishes);
  const request = { method, headers, body, signal, limitMs, idleMs, maxBytes, lane, readerFor };
  const attempt = () => address.line.send(request);
  try {
    const answer = await attempt().catch((error: unknown) => {
      const fault = faultOf(error, { hasBegun: head !== undefined, maxBytes });
      const isRetried = sending.isRead === true && head === undefined && isDropped(fault);
      if (!isRetried) throw fault;
      return attempt();
    });
    if (parser === undefined) hear(answer, hearing, sending);
    return heard(answer, parser, undefined);
  } catch (error) {
    const fault = faultOf(error, { hasBegun: head !== undefined, maxBytes });
    if (head === undefined || parser?.lastId === undefined || !isDropped(fault)) throw fault;
    return heard(head, parser, fault);
  }
}

function isDropped(fault: unknown): fault is UpstreamFault {
  return fault instanceof UpstreamFault && fault.kind === 'dropped';
}

function hear(answer: LineAnswer, hearing: Hearing, { isAside, isList }: Sending): void {
  const { status, text } = answer;
  if (status < 200 || status > 299) throw faultOfStatus(answer, rpcErrorOf(text));
  if (text === '' || isAside === true) return;
  if (status === 200 && typeOf(answer) === 'application/json') {
    for (const message of messagesIn(text, isList)) hearing.on(message);
  } else if (status === 200) {
    throw badResult('its answer is neither JSON nor a stream of events');
  }
}

function heard({ status, headers }: LineHead, parser: EventParser | undefined, fault?: UpstreamFault): Heard {
  return {
    status,
    headers,
    isStream: parser !== undefined,
    fault,
    lastId: parser?.lastId,
    retryMs: parser?.retryMs,
  };
}

function typeOf({ headers }: LineHead): string {
  const given = headers['content-type'];
  if (typeof given !== 'string') return '';
  const end = given.indexOf(';');
  return (end === -1 ? given : given.slice(0, end)).trim().toLowerCase();
}
