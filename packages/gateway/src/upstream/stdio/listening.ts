/** What a program tells of its own accord: asked for by subscription in 2025, by one listen stream in 2026. */
import { detach, RPC } from '@parley/kit';
import { isObject } from '../../messages.ts';
import type { LinkNotice, ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import { ended, outOfTime } from './faults.ts';
import type { Params, Wire } from './wire.ts';

export interface Listening {
  /** Asks for the changes of lists and of these documents; undefined: for nothing more. */
  set(uris: ReadonlySet<string> | undefined): Promise<void>;
  /** True when the notice was one of these. */
  take(method: string, params: Params): boolean;
}

export interface ListeningParts {
  readonly wire: Wire;
  readonly facts: ServerFacts;
  /** What a 2026 request carries. */
  readonly meta: Params;
  readonly limitMs: number;
  tell(notice: LinkNotice): void;
  /** The stream has ended while the program goes on. */
  onLost(): void;
  readonly onFault: (error: unknown) => void;
}

const LISTS: Readonly<Record<string, LinkNotice>> = {
  'notifications/tools/list_changed': { kind: 'tools' },
  'notifications/prompts/list_changed': { kind: 'prompts' },
  'notifications/resources/list_changed': { kind: 'resources' },
};
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const MOST_URI = 8 * 1024;

/** True for what tells that a list is another. */
export function isListNotice(method: string): boolean {
  return Object.hasOwn(LISTS, method);
}

export function createListening(parts: ListeningParts): Listening {
  return parts.facts.era === 'modern' ? new StreamListening(parts) : new SessionListening(parts);
}

function noticeOf(method: string, { uri }: Params): LinkNotice | undefined {
  if (method !== 'notifications/resources/updated') return LISTS[method];
  return typeof uri === 'string' && uri.length <= MOST_URI ? { kind: 'resource', uri } : undefined;
}

/** 2025: lists are told to everybody, documents to whoever subscribed. */
class SessionListening implements Listening {
  readonly #parts: ListeningParts;
  readonly #canSubscribe: boolean;
  readonly #subscribed = new Set<string>();

  constructor(parts: ListeningParts) {
    this.#parts = parts;
    const { resources } = parts.facts.capabilities;
    this.#canSubscribe = isObject(resources) && resources.subscribe === true;
  }

  async set(wanted: ReadonlySet<string> = new Set()): Promise<void> {
    if (!this.#canSubscribe) return;
    let fault: Error | undefined;
    for (const uri of [...this.#subscribed].filter((one) => !wanted.has(one))) {
      this.#subscribed.delete(uri);
      fault = (await this.#ask('resources/unsubscribe', uri)) ?? fault;
    }
    for (const uri of [...wanted].filter((one) => !this.#subscribed.has(one))) {
      const refusal = await this.#ask('resources/subscribe', uri);
      if (refusal === undefined) this.#subscribed.add(uri);
      else fault = refusal;
    }
    // The others are listened to all the same.
    if (fault !== undefined) throw fault;
  }

  take(method: string, params: Params): boolean {
    const notice = noticeOf(method, params);
    if (notice !== undefined) this.#parts.tell(notice);
    return notice !== undefined;
  }

  async #ask(method: string, uri: string): Promise<Error | undefined> {
    const { wire, limitMs } = this.#parts;
    try {
      await wire.request(method, { uri }, { limitMs });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

/** 2026: one request that stays open names all that is wanted; another set is another request. */
class StreamListening implements Listening {
  readonly #parts: ListeningParts;
  /** By the id of their requests. */
  readonly #streams = new Map<unknown, Stream>();

  constructor(parts: ListeningParts) {
    this.#parts = parts;
  }

  async set(uris: ReadonlySet<string> | undefined): Promise<void> {
    const before = [...this.#streams.values()];
    // The new one is open before the old one ends, so that nothing is missed in between.
    if (uris !== undefined) await this.#open(uris);
    for (const { closed } of before) closed.abort();
  }

  take(method: string, params: Params): boolean {
    if (method === 'notifications/cancelled') {
      const stream = this.#streams.get(params.requestId);
      stream?.lost.abort();
      return stream !== undefined;
    }
    const stream = this.#streams.get(isObject(params._meta) ? params._meta[SUBSCRIPTION] : undefined);
    if (method === 'notifications/subscriptions/acknowledged') {
      stream?.opened.resolve();
      return true;
    }
    const notice = noticeOf(method, params);
    if (notice !== undefined && stream !== undefined) this.#parts.tell(notice);
    return notice !== undefined;
  }

  async #open(uris: ReadonlySet<string>): Promise<void> {
    const opened = Promise.withResolvers<void>();
    const stream: Stream = { opened, closed: new AbortController(), lost: new AbortController() };
    detach(this.#listen(uris, stream), this.#parts.onFault);
    const timer = setTimeout(() => {
      opened.reject(outOfTime());
      stream.closed.abort();
    }, this.#parts.limitMs);
    try {
      await opened.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** From the request to the end of the stream, whoever ends it. */
  async #listen(uris: ReadonlySet<string>, stream: Stream): Promise<void> {
    const { wire, meta, onLost } = this.#parts;
    const { opened, closed, lost } = stream;
    const notifications = { ...ALL_LISTS, ...(uris.size > 0 && { resourceSubscriptions: [...uris] }) };
    let id: number | undefined;
    let fault: unknown = ended({ wasSent: true });
    try {
      const onSent = (sent: number) => this.#streams.set((id = sent), stream);
      const signal = AbortSignal.any([closed.signal, lost.signal]);
      await wire.request(
        'subscriptions/listen',
        { notifications, _meta: meta },
        { limitMs: Infinity, signal, onSent },
      );
    } catch (error) {
      fault = error;
    }
    this.#streams.delete(id);
    // Nothing is ever told by a program that knows no such request, and that is no failure of whoever listens.
    if (isUnknownMethod(fault)) return opened.resolve();
    // Who still waits for the first answer learns why there is none; later nobody looks at this any more.
    opened.reject(fault);
    // A program that is gone says so itself.
    if (!closed.signal.aborted && wire.isOpen) onLost();
  }
}

interface Stream {
  readonly opened: PromiseWithResolvers<void>;
  /** Ends it from this side. */
  readonly closed: AbortController;
  /** The program has ended it. */
  readonly lost: AbortController;
}

const ALL_LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

function isUnknownMethod(fault: unknown): boolean {
  return fault instanceof UpstreamFault && fault.rpc?.code === RPC.methodNotFound;
}
