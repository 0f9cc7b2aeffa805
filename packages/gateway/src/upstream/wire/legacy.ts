/** Requests and watches in conversations of the 2025 era, each opened with what the client behind it can do. */
import type { ClientCapabilities } from '@parley/kit';
import { detach } from '@parley/kit';
import { isObject } from '../../messages.ts';
import type { LinkNotice, LinkRequest, ServerFacts } from '../link.ts';
import type { Address } from './address.ts';
import type { Conversation } from './conversation.ts';
import { SessionGone } from './faults.ts';
import type { Result } from './messages.ts';
import type { WireMeans } from './modern.ts';
import { declaredOf } from './questions.ts';
import type { OpenStream } from './reopen.ts';
import { openSession } from './session.ts';
import type { Shelf } from './shelf.ts';
import { openSse } from './sse.ts';
import { untilAborted } from './waiting.ts';

/** Nobody is asked in what Parley does of its own accord. */
const NOTHING: ClientCapabilities = {};

export class Legacy {
  readonly #address: Address;
  readonly #shelf: Shelf;
  readonly #means: WireMeans;

  constructor(address: Address, shelf: Shelf, means: WireMeans) {
    this.#address = address;
    this.#shelf = shelf;
    this.#means = means;
  }

  async facts(signal?: AbortSignal): Promise<ServerFacts> {
    return this.#use(NOTHING, async ({ facts }) => facts, signal);
  }

  async request(request: LinkRequest): Promise<Result> {
    return this.#use(request.capabilities, (conversation) => conversation.request(request), request.signal);
  }

  /** Listens in the conversation of this server's own, which stays for as long. */
  async watch(uris: ReadonlySet<string>, on: (notice: LinkNotice) => void): Promise<OpenStream> {
    return this.#use(NOTHING, async (conversation) => {
      const stop = conversation.listen((notice) => {
        if (notice.kind !== 'resource' || uris.has(notice.uri)) on(notice);
      });
      const wishes = new Subscriptions(conversation, this.#means);
      await wishes.add(uris);
      const close = async () => {
        stop();
        detach(wishes.remove(uris), (error) => this.#means.onFault(error, 'upstream watch'));
      };
      return { ended: conversation.ended, close };
    });
  }

  /** A conversation that the server has forgotten did nothing, so what was asked in it is asked in a new one, once. */
  async #use<T>(
    capabilities: ClientCapabilities,
    work: (conversation: Conversation) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const key = `${this.#address.digest} ${JSON.stringify(declaredOf(capabilities))}`;
    const isSse = this.#address.target.type === 'SSE';
    const open = (): Promise<Conversation> =>
      isSse
        ? openSse(this.#address, capabilities, this.#means)
        : openSession(this.#address, capabilities, this.#means);
    let used: Conversation | undefined;
    const attempt = () =>
      this.#shelf.use(key, open, (conversation) => {
        used = conversation;
        return work(conversation);
      });
    try {
      return await untilAborted(attempt(), signal);
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      this.#shelf.drop(key, used);
      return untilAborted(attempt(), signal);
    }
  }
}

/** How many want each document, by conversation. */
const counts = new WeakMap<Conversation, Map<string, number>>();

/** Documents that a conversation is subscribed to: once each, for as long as somebody wants it. */
class Subscriptions {
  readonly #conversation: Conversation;
  readonly #limitMs: number;
  readonly #counts: Map<string, number>;

  constructor(conversation: Conversation, { limits }: WireMeans) {
    this.#conversation = conversation;
    this.#limitMs = limits.handshakeMs;
    this.#counts = counts.get(conversation) ?? new Map<string, number>();
    counts.set(conversation, this.#counts);
  }

  async add(uris: ReadonlySet<string>): Promise<void> {
    const { resources } = this.#conversation.facts.capabilities;
    if (!isObject(resources) || resources.subscribe !== true) return;
    await this.#each(uris, 'resources/subscribe', 1);
  }

  async remove(uris: ReadonlySet<string>): Promise<void> {
    await this.#each(uris, 'resources/unsubscribe', -1);
  }

  async #each(uris: ReadonlySet<string>, method: string, step: 1 | -1): Promise<void> {
    for (const uri of uris) {
      const before = this.#counts.get(uri) ?? 0;
      const after = before + step;
      if (after < 0) continue;
      if (after === 0) this.#counts.delete(uri);
      else this.#counts.set(uri, after);
      if (before === 0 || after === 0) await this.#send(method, uri);
    }
  }

  async #send(method: string, uri: string): Promise<void> {
    const { signal } = new AbortController();
    const request = { method, params: { uri }, capabilities: NOTHING, signal, limitMs: this.#limitMs };
    // A document that cannot be watched is only one that tells nothing; a lost server is noticed by its stream.
    await this.#conversation.request(request).catch(() => undefined);
  }
}
