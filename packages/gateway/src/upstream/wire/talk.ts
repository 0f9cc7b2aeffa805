/** A conversation of the 2025 era, whatever carries it: calls in flight, questions in between, and notices. */
import type { InputRequest } from '@parley/kit';
import { detach, RPC } from '@parley/kit';
import { isObject } from '../../messages.ts';
import type { LinkNotice, LinkRequest } from '../link.ts';
import { GivenUp } from '../given-up.ts';
import { askedTooOften, badResult, dropped } from './faults.ts';
import { MAX_QUESTIONS, MAX_SERVER_REQUESTS } from './limits.ts';
import type { Message, Result } from './messages.ts';
import { isResponse, nextId, resultOf, tooDeep } from './messages.ts';
import { noticeOf, tellLog, tellProgress } from './notices.ts';
import type { Reply } from './questions.ts';
import { Replies } from './replies.ts';
import { canAnswer, declineOf, questionOf, unansweredOf } from './questions.ts';

/** Sends a message that needs no answer. */
export type SendAside = (message: Message) => Promise<void>;

/** One request until it is answered. */
export class InFlight {
  readonly id = nextId();
  readonly request: LinkRequest;
  readonly outcome: Promise<Result>;
  isSettled = false;
  /** True: the server has said the last about it. */
  isAnswered = false;
  /** Questions that wait for the client. */
  questions = 0;
  /** What the server has asked, answered or not. */
  asked = 0;
  /** When the last of them was answered. */
  answeredMs = 0;
  /** Told when it has failed before its answer came. */
  onFail: ((error: unknown) => void) | undefined;
  readonly #settle = Promise.withResolvers<Result>();
  #ended: AbortController | undefined;

  constructor(request: LinkRequest) {
    this.request = request;
    this.outcome = this.#settle.promise;
    // Whoever sent it may have failed before, and then nobody looks here.
    detach(this.outcome, () => undefined);
  }

  /** Fires when the call is over; questions end with it. */
  get ended(): AbortSignal {
    this.#ended ??= new AbortController();
    return this.#ended.signal;
  }

  /** Until when the server had to wait for an answer to its questions. */
  get heldUpUntilMs(): number {
    return this.questions > 0 ? performance.now() : this.answeredMs;
  }

  settle(outcome: () => Result): void {
    if (this.isSettled) return;
    this.isSettled = true;
    try {
      this.#settle.resolve(outcome());
    } catch (error) {
      this.#settle.reject(error);
    }
    this.#ended?.abort();
  }

  fail(error: unknown): void {
    if (this.isSettled) return;
    this.settle(() => {
      throw error;
    });
    this.onFail?.(error);
  }
}

export class Talk {
  readonly #calls = new Map<number, InFlight>();
  readonly #listeners = new Set<(notice: LinkNotice) => void>();
  readonly #asked = new Map<unknown, AbortController>();
  /** Who had calls that ended without an answer: the server may still be at them, and ask. */
  readonly #unanswered = new Set<string | undefined>();
  readonly #givenUp = new GivenUp();
  readonly #send: SendAside;
  readonly #replies: Replies;
  readonly #onFault: (error: unknown) => void;

  constructor(send: SendAside, onFault: (error: unknown) => void) {
    this.#send = send;
    this.#replies = new Replies(send);
    this.#onFault = onFault;
  }

  get isBusy(): boolean {
    return this.#calls.size > 0 || this.#listeners.size > 0;
  }

  begin(request: LinkRequest): InFlight {
    const call = new InFlight(request);
    this.#calls.set(call.id, call);
    return call;
  }

  /** Lets go of a call; one that was not answered is cancelled at the server. */
  end(call: InFlight, reason?: string): void {
    this.#calls.delete(call.id);
    if (!call.isAnswered) this.#givenUp.add(call.id);
    if (call.isSettled) return;
    call.onFail = undefined;
    call.fail(new Error('The call was let go.'));
    this.#unanswered.add(call.request.principal);
    if (reason === undefined) return;
    const params = { requestId: call.id, reason };
    this.#aside({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  failAll(error: unknown): void {
    for (const call of this.#calls.values()) call.fail(error);
  }

  /** Waits for the calls under way, which fail when their connection is let go of. */
  async untilIdle(closing: AbortSignal): Promise<void> {
    const fail = () => this.failAll(dropped());
    closing.addEventListener('abort', fail, { once: true });
    if (closing.aborted) fail();
    await Promise.allSettled([...this.#calls.values()].map(({ outcome }) => outcome));
    closing.removeEventListener('abort', fail);
  }

  listen(on: (notice: LinkNotice) => void): () => void {
    this.#listeners.add(on);
    return () => this.#listeners.delete(on);
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  tell(notice: LinkNotice): void {
    for (const on of this.#listeners) on(notice);
  }

  /**
   * Takes a message that came on the stream of one call, or on one that belongs to none. Throws when the server asks
   * more than anybody answers: the stream is then of no use to anybody.
   */
  receive(message: Message, owner?: InFlight): void {
    const { method, id } = message;
    if (isResponse(message)) {
      const call = owner ?? (typeof id === 'number' ? this.#calls.get(id) : undefined);
      if (call === undefined) return;
      call.isAnswered = true;
      call.settle(() => resultOf(message, call.id));
    } else if (typeof method === 'string' && id !== undefined) {
      this.#answer(message, owner);
    } else {
      this.#hear(message, owner);
    }
  }

  /** Takes a message of the one stream that answers all calls. Throws as `receive` does. */
  receiveForAny(message: Message, isDeep = false): void {
    const { id } = message;
    if (!isResponse(message)) {
      if (isDeep) throw tooDeep();
      return this.receive(message);
    }
    const call = typeof id === 'number' ? this.#calls.get(id) : undefined;
    if (call === undefined) this.#failMisanswered(id);
    else if (isDeep && !call.request.method.endsWith('/list')) {
      call.isAnswered = true;
      call.fail(tooDeep());
    } else this.receive(message);
  }

  /** An answer to nothing that was asked is meant for the one who waits; a late one is not. */
  #failMisanswered(id: unknown): void {
    if (id === null || id === undefined || this.#givenUp.has(id)) return;
    this.#only()?.fail(badResult('its answer has the id of another request'));
  }

  #hear(message: Message, owner: InFlight | undefined): void {
    const { method, params } = message;
    if (method === 'notifications/progress') {
      const token = isObject(params) ? params.progressToken : undefined;
      const call = owner ?? (typeof token === 'number' ? this.#calls.get(token) : undefined);
      if (call !== undefined) tellProgress(message, call.id, call.request);
    } else if (method === 'notifications/message') {
      const call = owner ?? this.#only();
      if (call !== undefined) tellLog(message, call.request);
    } else if (method === 'notifications/cancelled') {
      if (isObject(params)) this.#asked.get(params.requestId)?.abort();
    } else {
      const notice = noticeOf(message);
      if (notice === undefined) return;
      this.tell(notice);
      if (notice.kind === 'resource') return;
      // What a call brought about is not lost where nobody listens.
      for (const { request } of owner === undefined ? this.#calls.values() : [owner]) request.onLists?.();
    }
  }

  #answer(message: Message, owner: InFlight | undefined): void {
    const { id, method } = message;
    if (method === 'ping') return this.#reply(id, { result: {} }, owner);
    const question = questionOf(message);
    const call = owner ?? (question === undefined ? undefined : this.#newest(question));
    this.#count(call);
    if (question === undefined)
      return this.#reply(id, { error: { code: RPC.methodNotFound, message: 'Method not found' } }, owner);
    const isAsked = call !== undefined && call.questions < MAX_QUESTIONS && isFor(call, question);
    if (!isAsked) return this.#reply(id, declineOf(method), owner);
    detach(this.#ask(call, question, id), this.#onFault);
  }

  async #ask(call: InFlight, question: InputRequest, id: unknown): Promise<void> {
    const { request, ended } = call;
    const withdrawn = new AbortController();
    this.#asked.set(id, withdrawn);
    call.questions += 1;
    let reply: Reply;
    try {
      const signal = AbortSignal.any([ended, request.signal, withdrawn.signal]);
      // Only calls that can be asked come here.
      reply = { result: await request.onAsk?.(question, signal) };
    } catch {
      reply = unansweredOf(question.method);
    } finally {
      call.questions -= 1;
      call.answeredMs = performance.now();
      this.#asked.delete(id);
    }
    if (withdrawn.signal.aborted || call.isSettled) return;
    if (!this.#replies.take({ jsonrpc: '2.0', id, ...reply }, call)) call.fail(askedTooOften());
  }

  #reply(id: unknown, reply: Reply, owner: InFlight | undefined): void {
    if (this.#replies.take({ jsonrpc: '2.0', id, ...reply }, owner)) return;
    const fault = askedTooOften();
    this.failAll(fault);
    throw fault;
  }

  #count(call: InFlight | undefined): void {
    if (call === undefined) return;
    call.asked += 1;
    if (call.asked <= MAX_SERVER_REQUESTS) return;
    const fault = askedTooOften();
    call.fail(fault);
    throw fault;
  }

  #aside(message: Message): void {
    // A server that cannot be told has lost the call anyway.
    detach(this.#send(message), () => undefined);
  }

  /** The newest call that a question can belong to which names none; undefined where it could be somebody else's. */
  #newest(question: InputRequest): InFlight | undefined {
    const calls = [...this.#calls.values()];
    const people = new Set([...this.#unanswered, ...calls.map(({ request }) => request.principal)]);
    if (people.size !== 1 || people.has(undefined)) return undefined;
    return calls.findLast((call) => isFor(call, question));
  }

  #only(): InFlight | undefined {
    if (this.#calls.size !== 1) return undefined;
    const [call] = this.#calls.values();
    return call;
  }
}

function isFor({ request }: InFlight, question: InputRequest): boolean {
  return request.onAsk !== undefined && canAnswer(request.capabilities, question);
}
