/** A conversation over HTTP with SSE, as of 2024-11-05: one stream for all that the server says, and posts to it. */
import type { ClientCapabilities } from '@parley/kit';
import { detach } from '@parley/kit';
import type { Lane } from '@parley/kit/egress';
import type { LinkNotice, LinkRequest, ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import type { Address } from './address.ts';
import type { Conversation } from './conversation.ts';
import { factsOf, initializeParams, LogWish, paramsOf } from './conversation.ts';
import { dropped, EraFault, SessionGone, tooLate } from './faults.ts';
import { MAX_ASIDE_BYTES } from './limits.ts';
import type { Message, Result } from './messages.ts';
import type { WireMeans } from './modern.ts';
import { send } from './post.ts';
import type { InFlight } from './talk.ts';
import { Talk } from './talk.ts';
import { untilAborted } from './waiting.ts';

/** Opens the stream and the conversation on it. */
export async function openSse(
  address: Address,
  capabilities: ClientCapabilities,
  means: WireMeans,
): Promise<SseConversation> {
  const conversation = new SseConversation(address, means);
  try {
    await conversation.open(capabilities);
    return conversation;
  } catch (error) {
    await conversation.end();
    throw error;
  }
}

export class SseConversation implements Conversation {
  readonly ended: Promise<void>;
  readonly #address: Address;
  readonly #means: WireMeans;
  readonly #talk: Talk;
  readonly #logWish = new LogWish();
  readonly #closing = new AbortController();
  readonly #endpoint = Promise.withResolvers<Address>();
  readonly #over = Promise.withResolvers<void>();
  #facts: ServerFacts | undefined;
  #lastByteMs = 0;
  #isOver = false;

  constructor(address: Address, means: WireMeans) {
    this.#address = address;
    this.#means = means;
    this.ended = this.#over.promise;
    // A stream that fails before anybody waits for the endpoint has told so elsewhere.
    detach(this.#endpoint.promise, () => undefined);
    this.#talk = new Talk(
      (message) => this.#post(message),
      (error) => means.onFault(error, 'upstream stream'),
    );
  }

  get facts(): ServerFacts {
    if (this.#facts === undefined) throw new Error('The conversation has not been opened.');
    return this.#facts;
  }

  get isBusy(): boolean {
    return this.#talk.isBusy;
  }

  async open(capabilities: ClientCapabilities): Promise<void> {
    const { limits, info, closing } = this.#means;
    const timer = setTimeout(() => this.#closing.abort(tooLate(false)), limits.sseHandshakeMs);
    const onClosing = () => this.#closing.abort(closing.reason);
    closing.addEventListener('abort', onClosing, { once: true });
    try {
      detach(this.#read(), (error) => this.#means.onFault(error, 'upstream stream'));
      await this.#endpoint.promise;
      const params = initializeParams(capabilities, info);
      const { signal } = this.#closing;
      const limitMs = limits.sseHandshakeMs;
      const opening = { method: 'initialize', params, capabilities: {}, signal, limitMs };
      this.#facts = factsOf(await this.#call(opening));
      await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    } finally {
      clearTimeout(timer);
      closing.removeEventListener('abort', onClosing);
    }
  }

  async request(request: LinkRequest): Promise<Result> {
    if (this.#isOver) throw new SessionGone();
    const wish = this.#logWish.next(request, this.facts, this.#means.limits.handshakeMs);
    // Whoever cannot set a level may tell what it likes.
    if (wish !== undefined) await this.#call(wish).catch(() => undefined);
    return this.#call(request);
  }

  listen(on: (notice: LinkNotice) => void): () => void {
    return this.#talk.listen(on);
  }

  async end(): Promise<void> {
    this.#closing.abort(dropped());
    await this.ended;
  }

  async #read(): Promise<void> {
    const idleMs = this.#means.limits.streamIdleMs;
    const maxBytes = this.#address.target.maxResultBytes;
    const { signal } = this.#closing;
    const protocol = { accept: 'text/event-stream' };
    let fault: unknown = dropped();
    try {
      await send(
        this.#address,
        {
          method: 'GET',
          lane: 'stream',
          protocol,
          signal,
          limitMs: Infinity,
          idleMs,
          maxBytes,
          isForMany: true,
        },
        {
          on: (message, isDeep) => {
            this.#talk.receiveForAny(message, isDeep);
            return false;
          },
          onOther: (type, data) => {
            if (type === 'endpoint') this.#endpoint.resolve(this.#announced(data));
          },
          onBytes: () => {
            this.#lastByteMs = performance.now();
          },
        },
      );
    } catch (error) {
      fault = error;
    }
    this.#isOver = true;
    this.#endpoint.reject(fault);
    this.#talk.failAll(fault);
    this.#over.resolve();
  }

  /** Credentials go where the stream came from, and nowhere else. */
  #announced(data: string): Address {
    const { url } = this.#address.line;
    const announced = URL.parse(data, url);
    if (announced?.origin !== url.origin)
      throw new UpstreamFault(
        'not_allowed',
        'The server announced an address of another origin. Use a server that keeps to its own.',
        { wasSent: false },
      );
    return this.#address.at(announced);
  }

  async #call(request: LinkRequest): Promise<Result> {
    const call = this.#talk.begin(request);
    const startedMs = performance.now();
    const { method, limitMs } = request;
    let cancelReason: string | undefined;
    try {
      const message = { jsonrpc: '2.0', id: call.id, method, params: paramsOf(request, call.id) };
      const posted = this.#post(message, request);
      // The answer may be there before the post is acknowledged.
      await untilAborted(Promise.race([posted, call.outcome]), request.signal);
      return await this.#outcome(call, startedMs + limitMs);
    } catch (error) {
      const isLeft = request.signal.aborted || (error instanceof UpstreamFault && error.kind === 'timeout');
      if (isLeft && method !== 'initialize') cancelReason = 'The client does not wait any longer.';
      throw error;
    } finally {
      this.#talk.end(call, cancelReason);
    }
  }

  async #outcome(call: InFlight, untilMs: number): Promise<Result> {
    const sentMs = performance.now();
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      const now = performance.now();
      const lastMs = Math.max(sentMs, this.#lastByteMs, call.heldUpUntilMs);
      const leftMs = Math.min(untilMs, lastMs + this.#means.limits.idleMs) - now;
      if (leftMs < 1) late.abort(tooLate());
      else timer = setTimeout(look, Math.min(Math.ceil(leftMs), 2 ** 31 - 1));
    };
    look();
    try {
      return await untilAborted(call.outcome, AbortSignal.any([call.request.signal, late.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  async #post(message: Message, request?: LinkRequest): Promise<void> {
    const address = await this.#endpoint.promise;
    // Some servers acknowledge a request only when it is done.
    const limitMs = request?.limitMs ?? this.#means.limits.asideMs;
    const lane: Lane = request === undefined ? 'aside' : 'call';
    const limits = { lane, limitMs, idleMs: limitMs, maxBytes: MAX_ASIDE_BYTES };
    const protocol: Record<string, string> = { accept: '*/*', 'content-type': 'application/json' };
    if (this.#facts !== undefined) protocol['mcp-protocol-version'] = this.#facts.protocolVersion;
    const body = JSON.stringify(message);
    const { signal } = this.#closing;
    const sending = { method: 'POST' as const, body, protocol, wishes: request, signal, isAside: true };
    try {
      await send(address, { ...sending, ...limits }, { on: () => true });
    } catch (error) {
      if (!(error instanceof EraFault) || error.status !== 404 || this.#facts === undefined) throw error;
      this.#lose();
      throw new SessionGone();
    }
  }

  /** The server has forgotten it: nobody uses it any more, but each call under way may still be answered. */
  #lose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#over.resolve();
    const left = this.#talk.untilIdle(this.#means.closing).then(() => this.#closing.abort(dropped()));
    detach(left, (error) => this.#means.onFault(error, 'upstream stream'));
  }
}
