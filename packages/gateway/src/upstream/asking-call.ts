/** A call whose 2025 server may ask in the middle of it: it runs on while its client is away to find the answer. */
import { setImmediate as turn } from 'node:timers/promises';
import type { InputRequest, InputResponse, OutsideCall } from '@parley/kit';
import { detach, isSupported, ToolError } from '@parley/kit';
import { UpstreamFault } from './link.ts';

type Result = Readonly<Record<string, unknown>>;

type Settled = { readonly value: Result } | { readonly error: unknown };

interface Question {
  readonly request: InputRequest;
  answer(response: InputResponse): void;
}

/** How a round of a call ends: with its result, or with questions. */
export type Turn =
  | { readonly result: Result }
  | { readonly questions: Readonly<Record<string, InputRequest>> };

/** What the request to the upstream gets of the call. */
export interface AskingRequest {
  readonly signal: AbortSignal;
  onAsk(request: InputRequest, signal: AbortSignal): Promise<InputResponse>;
  onProgress(done: number, total?: number, message?: string): void;
}

/** A client that stopped reading misses its progress, and nothing else. */
const MISSED = () => undefined;
/** More would be a server that never stops asking. */
const MOST_OPEN = 32;

export class AskingCall {
  readonly #questions = new Map<string, Question>();
  readonly #control = new AbortController();
  readonly #onFault: (error: unknown) => void;
  #settled: Settled | undefined;
  #wake: (() => void) | undefined;
  #asked = 0;
  #declined: InputRequest['method'] | undefined;
  #call: OutsideCall;
  #unlisten: () => void = () => undefined;
  #leftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `limitMs` is the time that the upstream has; waiting for a person does not count. */
  constructor(call: OutsideCall, limitMs: number, onFault: (error: unknown) => void) {
    this.#call = call;
    this.#leftMs = limitMs;
    this.#onFault = onFault;
  }

  /** What the server asked for and the client cannot give; it was told so. */
  get declined(): InputRequest['method'] | undefined {
    return this.#declined;
  }

  /** Starts the request; what comes of it is told by `nextTurn`. */
  start(send: (request: AskingRequest) => Promise<Result>): void {
    this.#enter(this.#call);
    const request: AskingRequest = {
      signal: this.#control.signal,
      onAsk: (question, signal) => this.#ask(question, signal),
      onProgress: (done, total, message) => {
        // Nobody hears it while the client is away.
        if (this.#timer !== undefined) detach(() => this.#call.progress(done, total, message), MISSED);
      },
    };
    const ended = (outcome: Settled) => {
      this.#settled = outcome;
      this.#leave();
      this.#wake?.();
    };
    const run = async () => {
      try {
        ended({ value: await send(request) });
      } catch (error) {
        ended({ error });
      }
    };
    detach(run(), this.#onFault);
  }

  /** Goes on for a client that has come back with answers. */
  resume(call: OutsideCall, responses: Readonly<Record<string, unknown>>): void {
    this.#call = call;
    this.#enter(call);
    for (const [key, response] of Object.entries(responses)) {
      const question = this.#questions.get(key);
      if (question === undefined || !fits(question.request, response)) continue;
      this.#questions.delete(key);
      question.answer(response);
    }
  }

  /** Waits for the result or for questions; throws what the request failed with. */
  async nextTurn(): Promise<Turn> {
    while (this.#settled === undefined && this.#questions.size === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      // Questions that are asked together are answered together.
      await turn();
    }
    this.#wake = undefined;
    if (this.#settled === undefined) {
      const questions = [...this.#questions].map(([key, { request }]) => [key, request] as const);
      return { questions: Object.fromEntries(questions) };
    }
    if ('error' in this.#settled) throw this.#settled.error;
    return { result: this.#settled.value };
  }

  /** The client is away. What it started goes on, unless its request is still open and is cancelled meanwhile. */
  stepAside(): void {
    this.#leave();
    const isOpen = this.#call.request.era === 'legacy' || this.#call.taskId !== null;
    if (isOpen) this.#listen(this.#call.signal);
  }

  /** Ends it at the upstream too. */
  cancel(reason: Error): void {
    this.#leave();
    this.#control.abort(reason);
  }

  #enter({ signal }: OutsideCall): void {
    this.#listen(signal);
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.cancel(new UpstreamFault('timeout', ''));
    }, this.#leftMs);
  }

  #leave(): void {
    this.#unlisten();
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(1, this.#leftMs - (performance.now() - this.#since));
  }

  #listen(signal: AbortSignal): void {
    this.#unlisten();
    const abort = () => this.cancel(reasonOf(signal));
    this.#unlisten = () => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }

  async #ask(request: InputRequest, signal: AbortSignal): Promise<InputResponse> {
    // Nobody is asked what they cannot answer, and nothing is left hanging.
    if (!canAnswer(this.#call, request) || this.#questions.size >= MOST_OPEN) {
      this.#declined = request.method;
      if (request.method === 'elicitation/create') return { action: 'decline' };
      throw new ToolError('declined', `The client cannot answer ${request.method}.`);
    }
    this.#asked += 1;
    const key = `question-${this.#asked}`;
    const { promise, resolve, reject } = Promise.withResolvers<InputResponse>();
    const drop = () => {
      this.#questions.delete(key);
      reject(reasonOf(signal));
    };
    signal.addEventListener('abort', drop, { once: true });
    this.#questions.set(key, { request, answer: resolve });
    this.#wake?.();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }
}

/** What a signal was given as its reason, which may be anything. */
function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException('The call was cancelled.', 'AbortError');
}

function canAnswer({ capabilities }: OutsideCall, request: InputRequest): boolean {
  const isUrl = 'params' in request && 'mode' in request.params && request.params.mode === 'url';
  return isUrl ? capabilities.elicitation?.['url'] !== undefined : isSupported(capabilities, request.method);
}

/** Whether a response has the shape of an answer to this; anything else is asked for again. */
function fits(request: InputRequest, response: unknown): response is InputResponse {
  if (typeof response !== 'object' || response === null || Array.isArray(response)) return false;
  if (request.method === 'elicitation/create') return 'action' in response;
  if (request.method === 'roots/list') return 'roots' in response && Array.isArray(response.roots);
  return 'content' in response && 'role' in response;
}
