/** JSON-RPC with one process: ids of ours, each answer to whom it belongs, and an end for all who still wait. */
import type { UpstreamTarget } from '@parley/connections';
import { DEFAULT_INBOUND_LIMITS, parseJson } from '@parley/http';
import { detach, RPC } from '@parley/kit';
import { isObject, isRequest, methodOf } from '../../messages.ts';
import { GivenUp } from '../given-up.ts';
import type { LinkRequest } from '../link.ts';
import type { Child } from './child.ts';
import { ended, invalid, outOfTime, rpcFault, tooLong, unreachable } from './faults.ts';
import { Flights } from './flights.ts';
import { LineReader } from './line-reader.ts';
import { MOST_DEPTH, MOST_LINE_BYTES, MOST_UNREAD_BYTES } from './times.ts';

export type Params = Readonly<Record<string, unknown>>;

/** What a program says without being asked, and its end. */
export interface WireListener {
  onRequest(id: string | number, method: string, params: Params): void;
  onNotice(method: string, params: Params): void;
  /** Told once. */
  onEnd(): void;
}

export interface WireOptions extends Pick<UpstreamTarget, 'maxResultBytes' | 'secrets'> {
  /** Told what a listener threw. */
  readonly onFault: (error: unknown) => void;
}

export interface SendOptions {
  /** Infinity: as long as the program runs. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** True: nothing is said when it is given up, as the revisions demand of a handshake. */
  readonly isSilent?: boolean;
  /** The call behind the request. Absent: it is one of the gateway itself. */
  readonly call?: LinkRequest | undefined;
  /** Told the id under which it was sent. */
  onSent?(id: number): void;
}

interface Waiting {
  /** True: its answer is only the end of something that stays open. */
  readonly isStream: boolean;
  resolve(result: Params): void;
  reject(error: unknown): void;
}

// Bytes and depth are bounded; how many values there are is not.
const JSON_LIMITS = {
  ...DEFAULT_INBOUND_LIMITS,
  jsonDepth: MOST_DEPTH,
  jsonValues: Number.POSITIVE_INFINITY,
};
const HEAD_ID = /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*,/;
const TAIL_ID = /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/;
const END_LENGTH = 256;

export class Wire {
  readonly child: Child;
  readonly flights = new Flights();
  readonly #options: WireOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #givenUp = new GivenUp();
  #listener: WireListener;
  #lastId = 0;
  #heardAt = 0;
  #isClosed = false;

  constructor(child: Child, options: WireOptions) {
    this.child = child;
    this.#options = options;
    this.#listener = this.#untilOpened();
    const reader = new LineReader(MOST_LINE_BYTES, {
      onLine: (text, sizeBytes) => this.#take(text, sizeBytes),
      onTooLong: () => this.#failTooLong(),
    });
    const { stdin, stdout } = child.process;
    stdout.on('data', (chunk: Buffer) => {
      this.#heardAt = performance.now();
      reader.take(chunk);
    });
    stdout.once('close', () => this.close());
    // A program that does not listen is of no use, even where it still runs; its last words are heard.
    stdin.once('close', () => detach(child.end(), options.onFault));
    detach(
      child.gone.then(() => this.close()),
      options.onFault,
    );
  }

  /** When it said something last, on the clock of `performance.now()`. */
  get heardAt(): number {
    return this.#heardAt;
  }

  get isOpen(): boolean {
    return !this.#isClosed && !this.child.isGone && this.child.process.stdin.writable;
  }

  /** Nothing more is sent or heard: all who wait learn it at once, also while the program takes its time to end. */
  close(fault = ended({ wasSent: true })): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener.onEnd();
    for (const waiting of this.#waiting.values()) waiting.reject(fault);
  }

  /** Says who hears what comes from now on. */
  listen(listener: WireListener): void {
    this.#listener = listener;
    if (this.#isClosed) listener.onEnd();
  }

  /** Sends a request; the signal and the time end it on this side, and the program is told. */
  request(method: string, params: Params, options: SendOptions): Promise<Params> {
    const { signal, call, limitMs } = options;
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.#send({ id, method, params: call?.onProgress === undefined ? params : withToken(params, id) });
      options.onSent?.(id);
      const giveUp = (reason: unknown) => {
        settle();
        this.#givenUp.add(id);
        if (call !== undefined) this.flights.abandon(id, call);
        if (options.isSilent !== true) this.notify('notifications/cancelled', { requestId: id });
        reject(reason);
      };
      const onAbort = () => giveUp(signal?.reason);
      const timer = Number.isFinite(limitMs) ? setTimeout(() => giveUp(outOfTime()), limitMs) : undefined;
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#waiting.delete(id);
        this.flights.end(id);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      if (call !== undefined) this.flights.begin(id, call);
      this.#waiting.set(id, {
        isStream: !Number.isFinite(limitMs),
        resolve(result) {
          settle();
          resolve(result);
        },
        reject(error) {
          settle();
          reject(error);
        },
      });
    });
  }

  notify(method: string, params: Params = {}): void {
    this.#try({ method, params });
  }

  answer(id: string | number, outcome: { readonly result: unknown } | { readonly error: unknown }): void {
    this.#try({ id, ...outcome });
  }

  /** A message that nobody waits for: where it cannot be sent, those who wait for something learn why. */
  #try(message: Params): void {
    if (this.isOpen && this.child.process.stdin.writableLength <= MOST_UNREAD_BYTES) this.#send(message);
  }

  #send(message: Params): void {
    const { stdin } = this.child.process;
    if (!this.isOpen) throw ended({ wasSent: false });
    if (stdin.writableLength > MOST_UNREAD_BYTES)
      throw unreachable('The program does not read what it is sent. Try again later.');
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take(text: string, sizeBytes: number): void {
    // What a program says while it ends is nobody's any more.
    if (this.#isClosed) return;
    let message: unknown;
    try {
      message = parseJson(text, JSON_LIMITS);
    } catch {
      const fault = invalid('The program sent an answer that is no JSON, or is nested too deeply.');
      // Text that is no message is what some programs print for people.
      this.#waitingIn(text.slice(0, END_LENGTH), text.slice(-END_LENGTH))?.reject(fault);
      return;
    }
    if (!isObject(message)) return;
    const method = methodOf(message);
    if (method === undefined) return this.#settle(message, sizeBytes);
    try {
      if (isRequest(message)) this.#listener.onRequest(message.id, method, paramsOf(message));
      else this.#listener.onNotice(method, paramsOf(message));
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  #settle({ id, result, error }: Params, sizeBytes: number): void {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) this.#failMisanswered(id);
    if (typeof id === 'number') this.flights.answered(id);
    const { maxResultBytes, secrets } = this.#options;
    if (sizeBytes > maxResultBytes)
      waiting?.reject(tooLong(`The answer has more than ${maxResultBytes} bytes. Ask for less.`));
    else if (isObject(error)) waiting?.reject(rpcFault(error, secrets));
    else if (isObject(result)) waiting?.resolve(result);
    else waiting?.reject(invalid('The program sent an answer without a result.'));
  }

  /** An answer to nothing that was asked is meant for the one who waits; a late one is not. */
  #failMisanswered(id: unknown): void {
    if (id === null || id === undefined || this.#givenUp.has(id)) return;
    const [only, ...others] = [...this.#waiting].filter(([, { isStream }]) => !isStream);
    if (only === undefined || others.length > 0) return;
    this.#givenUp.add(only[0]);
    only[1].reject(invalid('The program answered with the id of another request.'));
  }

  /** Whose answer it would be cannot be told before its end, which may never come: all who wait learn it now. */
  #failTooLong(): void {
    this.close(tooLong('The program sent a line of more than 10 MiB. Ask it for less.'));
    // Nobody reads on, so that a program which only writes ends too.
    this.child.process.stdout.destroy();
    detach(this.child.end(), this.#options.onFault);
  }

  #waitingIn(head: string, tail: string): Waiting | undefined {
    const id = HEAD_ID.exec(head)?.[1] ?? TAIL_ID.exec(tail)?.[1];
    return id === undefined ? undefined : this.#waiting.get(Number(id));
  }

  #untilOpened(): WireListener {
    return {
      onRequest: (id, method) => this.answer(id, method === 'ping' ? { result: {} } : NOT_YET),
      onNotice: () => undefined,
      onEnd: () => undefined,
    };
  }
}

const NOT_YET = {
  error: { code: RPC.methodNotFound, message: 'Nothing can be asked before the handshake.' },
};

function paramsOf({ params }: { readonly params?: unknown }): Params {
  return isObject(params) ? params : {};
}

function withToken(params: Params, progressToken: number): Params {
  return { ...params, _meta: { ...(isObject(params._meta) && params._meta), progressToken } };
}
