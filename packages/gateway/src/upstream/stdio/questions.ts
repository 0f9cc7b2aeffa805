/** What a 2025 program asks in the middle of calls: whose call it belongs to, and the answer where there is none. */
import type { InputRequest } from '@parley/kit';
import { detach, isSupported, RPC } from '@parley/kit';
import type { LinkRequest, ServerFacts } from '../link.ts';
import type { Flight } from './flights.ts';
import type { Opened } from './handshake.ts';
import { MOST_OPEN_QUESTIONS } from './times.ts';
import type { Params, Wire } from './wire.ts';

type Method = InputRequest['method'];
type Outcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

/** What clients of Parley answer where a person said no. */
const REJECTED = -1;

export class Questions {
  readonly #wire: Wire;
  readonly #era: ServerFacts['era'];
  readonly #onFault: (error: unknown) => void;
  /** Those that somebody is asked, by the id that the program gave them. */
  readonly #open = new Map<string | number, AbortController>();

  constructor({ wire, facts }: Opened, onFault: (error: unknown) => void) {
    this.#wire = wire;
    this.#era = facts.era;
    this.#onFault = onFault;
  }

  /** Answers a request of the program, sooner or later. */
  take(id: string | number, method: string, params: Params): void {
    if (method === 'ping') return this.#wire.answer(id, { result: {} });
    // A program of 2026 puts its questions into its answers.
    if (!isQuestion(method) || this.#era === 'modern') return this.#wire.answer(id, unknownMethod(method));
    const hasPlace = this.#open.size < MOST_OPEN_QUESTIONS && !this.#open.has(id);
    const flight = hasPlace
      ? this.#wire.flights.newest((call) => canBeAsked(call, method, params))
      : undefined;
    if (flight === undefined) return this.#wire.answer(id, declined(method));
    // Whether the question makes sense is for its client to judge.
    const request = (method === 'roots/list' ? { method } : { method, params }) as InputRequest;
    detach(this.#ask(id, request, flight), this.#onFault);
  }

  /** The program has lost interest in an answer. */
  cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#open.get(id)?.abort();
  }

  async #ask(id: string | number, request: InputRequest, { call, ended }: Flight): Promise<void> {
    const cancelled = new AbortController();
    this.#open.set(id, cancelled);
    // A call that ends takes its questions along.
    const signal = AbortSignal.any([cancelled.signal, ended]);
    const gone = Promise.withResolvers<undefined>();
    const onAbort = () => gone.resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const result = await Promise.race([call.onAsk?.(request, signal), gone.promise]);
      if (cancelled.signal.aborted) return;
      this.#wire.answer(id, result === undefined ? givenUp(request.method) : { result });
    } catch {
      // Nobody answered, for reasons that are not the program's business.
      this.#wire.answer(id, givenUp(request.method));
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#open.delete(id);
    }
  }
}

function isQuestion(method: string): method is Method {
  return method === 'elicitation/create' || method === 'sampling/createMessage' || method === 'roots/list';
}

function canBeAsked({ onAsk, capabilities }: LinkRequest, method: Method, params: Params): boolean {
  if (onAsk === undefined) return false;
  const isUrl = method === 'elicitation/create' && params.mode === 'url';
  return isUrl ? capabilities.elicitation?.url !== undefined : isSupported(capabilities, method);
}

function declined(method: Method): Outcome {
  if (method === 'elicitation/create') return { result: { action: 'decline' } };
  if (method === 'roots/list') return unknownMethod(method);
  return { error: { code: REJECTED, message: 'The client behind this call cannot be asked for a sample.' } };
}

function givenUp(method: Method): Outcome {
  if (method === 'elicitation/create') return { result: { action: 'cancel' } };
  return { error: { code: REJECTED, message: 'The client gave no answer.' } };
}

function unknownMethod(method: string): Outcome {
  const message = `This client does not answer ${method.slice(0, 100)}.`;
  return { error: { code: RPC.methodNotFound, message } };
}
