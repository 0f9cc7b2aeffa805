/** A session of the 2025 era over Streamable HTTP: opened, used, resumed, and ended. */
import type { ClientCapabilities } from '@parley/kit';
import { detach } from '@parley/kit';
import type { LinkNotice, LinkRequest, ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import type { Address } from './address.ts';
import type { Conversation } from './conversation.ts';
import { factsOf, initializeParams, LogWish, paramsOf } from './conversation.ts';
import { badResult, dropped, EraFault, SessionGone } from './faults.ts';
import { MAX_ASIDE_BYTES } from './limits.ts';
import type { Message, Result } from './messages.ts';
import type { WireMeans } from './modern.ts';
import type { Heard, Hearing, Sending } from './post.ts';
import { send } from './post.ts';
import { declaredOf } from './questions.ts';
import type { OpenStream } from './reopen.ts';
import { KeptOpen } from './reopen.ts';
import type { InFlight } from './talk.ts';
import { Talk } from './talk.ts';
import { pause } from './waiting.ts';

const BOTH = 'application/json, text/event-stream';
const MOST_RESUMES = 10;
const LONGEST_RETRY_MS = 30_000;
// Some servers send not even the headers of a stream before there is something to tell.
const STREAM_HEAD_START_MS = 250;
/** Refused, these say nothing about a call in it. */
const OF_THE_SESSION: ReadonlySet<string> = new Set(['initialize', 'ping']);

/** Opens a session for a client with these capabilities; an `EraFault` when the server has no `initialize`. */
export async function openSession(
  address: Address,
  capabilities: ClientCapabilities,
  means: WireMeans,
): Promise<Session> {
  const session = new Session(address, means);
  try {
    await session.open(capabilities);
  } catch (error) {
    // The server may have begun a session before this went wrong, and nobody else knows of it.
    detach(session.end(), (fault) => means.onFault(fault, 'upstream session'));
    throw error;
  }
  return session;
}

export class Session implements Conversation {
  facts!: ServerFacts; // set by `open`, before anybody has the session
  readonly ended: Promise<void>;
  readonly #address: Address;
  readonly #means: WireMeans;
  readonly #talk: Talk;
  readonly #logWish = new LogWish();
  readonly #over = Promise.withResolvers<void>();
  readonly #stream: KeptOpen;
  #id: string | undefined;
  #lastEventId: string | undefined;
  #hasStream = false;
  #isOver = false;

  constructor(address: Address, means: WireMeans) {
    this.#address = address;
    this.#means = means;
    this.ended = this.#over.promise;
    const onFault = (error: unknown) => means.onFault(error, 'upstream session');
    this.#talk = new Talk((message) => this.#aside(message), onFault);
    this.#stream = new KeptOpen({
      open: () => this.#openStream(),
      onReopened: () => this.#talk.tell({ kind: 'reopened' }),
      limits: means.limits,
      onFault,
    });
  }

  get isBusy(): boolean {
    return this.#talk.isBusy;
  }

  async open(capabilities: ClientCapabilities): Promise<void> {
    const { info, limits, closing: signal } = this.#means;
    const params = initializeParams(capabilities, info);
    const limitMs = limits.handshakeMs;
    const opening = { method: 'initialize', params, capabilities: {}, signal, limitMs };
    const result = await this.#call(opening, ({ headers }) => {
      const id = headers['mcp-session-id'];
      this.#id = typeof id === 'string' && /^[!-~]{1,1024}$/.test(id) ? id : undefined;
    }).catch(refuseEra);
    this.facts = factsOf(result);
    await this.#aside({ jsonrpc: '2.0', method: 'notifications/initialized' });
    // Many servers ask on this stream whatever they ask, so it is there before the first call.
    const { extensions: _neverAsked, ...askable } = declaredOf(capabilities);
    if (Object.keys(askable).length > 0)
      await Promise.race([this.#startStream(), pause(STREAM_HEAD_START_MS, signal)]);
  }

  async request(request: LinkRequest): Promise<Result> {
    if (this.#isOver) throw new SessionGone();
    const wish = this.#logWish.next(request, this.facts, this.#means.limits.handshakeMs);
    // Whoever cannot set a level may tell what it likes.
    if (wish !== undefined) await this.#call(wish).catch(ignoreRpc);
    return this.#call(request);
  }

  listen(on: (notice: LinkNotice) => void): () => void {
    const stop = this.#talk.listen(on);
    detach(this.#startStream(), (error) => this.#means.onFault(error, 'upstream session'));
    return stop;
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    await this.#finish();
    if (this.#id === undefined) return;
    const { asideMs: limitMs } = this.#means.limits;
    const bye = {
      method: 'DELETE' as const,
      lane: 'aside' as const,
      protocol: this.#headers(),
      limitMs,
      idleMs: limitMs,
      maxBytes: MAX_ASIDE_BYTES,
    };
    // A server need not let clients end sessions, and one that is gone has ended them.
    await send(this.#address, bye, { on: () => true }).catch(() => undefined);
  }

  async #finish(): Promise<void> {
    this.#isOver = true;
    this.#over.resolve();
    this.#talk.failAll(dropped());
    await this.#stream.close();
  }

  /** The server has forgotten it: nobody uses it any more, but each call under way hears its own answer. */
  #lose(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#over.resolve();
    const left = Promise.all([this.#stream.close(), this.#talk.untilIdle(this.#means.closing)]);
    detach(left, (fault) => this.#means.onFault(fault, 'upstream session'));
  }

  async #call(request: LinkRequest, onAnswer?: (heard: Heard) => void): Promise<Result> {
    const call = this.#talk.begin(request);
    const startedMs = performance.now();
    const leftMs = () => Math.max(1, request.limitMs - (performance.now() - startedMs));
    const { method, isRead } = request;
    const failed = new AbortController();
    call.onFail = (error) => failed.abort(error);
    const signal = AbortSignal.any([request.signal, failed.signal]);
    let cancelReason: string | undefined;
    const body = JSON.stringify({ jsonrpc: '2.0', id: call.id, method, params: paramsOf(request, call.id) });
    try {
      let heard = await this.#send(
        { method: 'POST', body, wishes: request, signal, limitMs: leftMs(), isRead },
        call,
      );
      onAnswer?.(heard);
      for (let count = 0; !call.isSettled && heard.lastId !== undefined; count += 1) {
        if (count >= MOST_RESUMES) throw dropped();
        await pause(Math.min(heard.retryMs ?? this.#means.limits.firstBackoffMs, LONGEST_RETRY_MS), signal);
        const resuming = { method: 'GET' as const, signal, limitMs: leftMs(), isRead: true };
        const resumed = this.#send(resuming, call, { 'last-event-id': heard.lastId });
        heard = await resumed.catch((error: unknown) => Promise.reject(this.#unresumed(error)));
      }
      if (call.isSettled) return await call.outcome;
      throw heard.isStream ? dropped() : badResult(`it answered ${heard.status} without a result`);
    } catch (error) {
      // An opening cannot be cancelled, and what was refused or lost does not run.
      const isLeft = request.signal.aborted || (error instanceof UpstreamFault && error.kind === 'timeout');
      if (isLeft && method !== 'initialize') cancelReason = 'The client does not wait any longer.';
      if (await this.#isForgotten(error, request)) this.#lose();
      throw this.#judge(error);
    } finally {
      this.#talk.end(call, cancelReason);
    }
  }

  /** A session that the server does not know any more is over for everybody. */
  #judge(error: unknown): unknown {
    if (!(error instanceof EraFault) || this.#id === undefined) return error;
    if (error.status === 404) this.#lose();
    return this.#isOver ? new SessionGone() : error;
  }

  /** Many servers refuse a session that they do not know as a bad request; a ping tells the two apart. */
  async #isForgotten(error: unknown, { method, signal }: LinkRequest): Promise<boolean> {
    const isRefused = error instanceof EraFault && error.status >= 400 && this.#id !== undefined;
    if (!isRefused || this.#isOver || OF_THE_SESSION.has(method)) return false;
    const { handshakeMs: limitMs } = this.#means.limits;
    const ping = { method: 'ping', params: {}, capabilities: {}, signal, limitMs };
    return this.#call(ping).then(
      () => false,
      (fault: unknown) => fault instanceof EraFault || fault instanceof SessionGone,
    );
  }

  /** What cannot be taken up again had begun: whatever is wrong now, nobody knows how it ended, and it is not repeated. */
  #unresumed(error: unknown): unknown {
    this.#judge(error);
    return error instanceof UpstreamFault && error.kind !== 'timeout' ? dropped() : error;
  }

  #send(
    sending: Omit<Sending, 'protocol' | 'idleMs' | 'maxBytes'>,
    call: InFlight,
    more?: Readonly<Record<string, string>>,
  ): Promise<Heard> {
    const hearing: Hearing = {
      on: (message) => {
        this.#talk.receive(message, call);
        return call.isSettled;
      },
      heldUpUntilMs: () => call.heldUpUntilMs,
    };
    const { idleMs } = this.#means.limits;
    const maxBytes = this.#address.target.maxResultBytes;
    const isList = call.request.method.endsWith('/list');
    const protocol = this.#headers(more);
    return send(this.#address, { ...sending, protocol, idleMs, maxBytes, isList }, hearing);
  }

  async #aside(message: Message): Promise<void> {
    const limitMs = this.#means.limits.asideMs;
    const body = JSON.stringify(message);
    const limits = { lane: 'aside' as const, limitMs, idleMs: limitMs, maxBytes: MAX_ASIDE_BYTES };
    const sending = { method: 'POST' as const, body, protocol: this.#headers(), isAside: true, ...limits };
    try {
      await send(this.#address, sending, { on: () => true });
    } catch (error) {
      throw this.#judge(error);
    }
  }

  #headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const headers: Record<string, string> = { accept: BOTH, 'content-type': 'application/json', ...more };
    if (this.#id !== undefined) headers['mcp-session-id'] = this.#id;
    const facts: ServerFacts | undefined = this.facts;
    if (facts !== undefined) headers['mcp-protocol-version'] = facts.protocolVersion;
    return headers;
  }

  async #startStream(): Promise<void> {
    if (this.#hasStream || this.#isOver) return;
    this.#hasStream = true;
    await this.#stream.open();
  }

  /** The stream of the session itself, for what belongs to no call. */
  async #openStream(): Promise<OpenStream | null> {
    const closing = new AbortController();
    const opened = Promise.withResolvers<void>();
    const { streamIdleMs: idleMs, handshakeMs } = this.#means.limits;
    const more = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId };
    const { 'content-type': _none, ...protocol } = this.#headers({ ...more, accept: 'text/event-stream' });
    const limits = { lane: 'stream' as const, limitMs: Infinity, idleMs, maxBytes: MAX_ASIDE_BYTES };
    const on = (message: Message) => {
      this.#talk.receive(message);
      return false;
    };
    const ended = send(
      this.#address,
      { method: 'GET', protocol, signal: closing.signal, ...limits },
      { on, onOpen: opened.resolve },
    ).then(({ lastId }) => {
      this.#lastEventId = lastId ?? this.#lastEventId;
    });
    const timer = setTimeout(() => opened.resolve(), handshakeMs);
    try {
      await Promise.race([opened.promise, ended]);
    } catch (error) {
      const judged = this.#judge(error);
      // A server need not have this stream.
      if (judged instanceof EraFault || judged instanceof SessionGone) return null;
      throw judged;
    } finally {
      clearTimeout(timer);
    }
    return { ended, close: async () => closing.abort(dropped()) };
  }
}

/** A server that refuses to be opened is one of another era, or none. */
function refuseEra(error: unknown): never {
  if (!(error instanceof UpstreamFault) || error.kind !== 'rpc') throw error;
  throw new EraFault(error.message, { rpc: error.rpc });
}

/** A refusal by the server itself; anything else concerns the call that follows too. */
function ignoreRpc(error: unknown): void {
  if (!(error instanceof UpstreamFault) || error.kind !== 'rpc') throw error;
}
