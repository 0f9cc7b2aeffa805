/** The change signal: who waits for which topic in this process, and the contract of the link to other processes. */
import type { Kysely } from 'kysely';
import type { AnyTables } from '../engine.ts';
import type { SignalFigures } from '../figures.ts';
import type { Spending } from '../spending.ts';

/** One announced change. The topic `*` means that changes may have been missed: read everything again. */
export interface SignalEvent {
  readonly topic: string;
  readonly payload: string | null;
}

/** How long `wait` waits. */
export interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Announces changes to every process on the same database. */
export interface ChangeSignal {
  /** Announces a change that needs no transaction. */
  publish(topic: string, payload?: string): Promise<void>;
  /** Calls `fn` for every topic that starts with `prefix`, and for `*`; returns the function that ends it. */
  subscribe(prefix: string, fn: (event: SignalEvent) => void): () => void;
  /**
   * The next event of `prefix`, or null after the timeout or an abort. It listens from the moment of the call, so
   * call it before reading the state, and await it after.
   */
  wait(prefix: string, options?: WaitOptions): Promise<SignalEvent | null>;
  /** True while signals of other processes do not arrive; who must know then looks by itself. */
  isBroken(): boolean;
}

/** Carries signals between processes; each engine has one. */
export interface SignalLink {
  /** Writes the signal as part of a transaction; the answer is handed to `committed`. */
  write(trx: Kysely<AnyTables>, event: SignalEvent): Promise<number>;
  /** Told the signals of a transaction, and what `write` answered to each, once it is committed. */
  committed(events: readonly SignalEvent[], tokens: readonly number[]): void;
  /** Starts handing over the signals of other processes. */
  open(deliver: (event: SignalEvent) => void): void;
  /** Stops handing over; `open` may follow. */
  pause(): void;
  /** True while nothing can arrive. */
  isBroken(): boolean;
  /** How often it was lost. */
  readonly losses: number;
}

/** A process that did nothing for this long was stopped, and has yet to hear what others did meanwhile. */
export const LONGEST_PAUSE_MS = 2_000;

const MAX_SIGNAL_BYTES = 4_000;

/** A checked event; PostgreSQL carries less than 8,000 bytes, so both engines refuse what would not fit. */
export function signalEvent(topic: string, payload?: string): SignalEvent {
  if (topic === '' || topic === '*') throw new TypeError('A signal needs a topic other than "*".');
  if (Buffer.byteLength(topic) + Buffer.byteLength(payload ?? '') > MAX_SIGNAL_BYTES) {
    throw new TypeError('A signal is too long. Send the id of what changed and let the reader load it.');
  }
  return { topic, payload: payload ?? null };
}

interface Subscriber {
  readonly prefix: string;
  readonly fn: (event: SignalEvent) => void;
}

/** The subscribers of this process. */
export class SignalHub {
  readonly #subscribers = new Set<Subscriber>();
  readonly #waits = new Set<() => void>();
  readonly #link: SignalLink;
  readonly #spending: Spending;
  readonly #onError: (error: unknown) => void;
  #sent = 0;
  #received = 0;

  constructor(
    link: SignalLink,
    { spending, onError }: { readonly spending: Spending; readonly onError: (error: unknown) => void },
  ) {
    this.#link = link;
    this.#spending = spending;
    this.#onError = onError;
  }

  subscribe(prefix: string, fn: (event: SignalEvent) => void): () => void {
    const subscriber = { prefix, fn };
    this.#subscribers.add(subscriber);
    if (this.#subscribers.size === 1) this.#link.open((event) => this.#receive(event));
    return () => {
      if (this.#subscribers.delete(subscriber) && this.#subscribers.size === 0) this.#link.pause();
    };
  }

  wait(prefix: string, { signal, timeoutMs }: WaitOptions = {}): Promise<SignalEvent | null> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve(null);
      let timer: NodeJS.Timeout | undefined;
      const settle = (event: SignalEvent | null): void => {
        unsubscribe();
        this.#waits.delete(onAbort);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        resolve(event);
      };
      const onAbort = (): void => settle(null);
      this.#waits.add(onAbort);
      const unsubscribe = this.subscribe(prefix, settle);
      if (timeoutMs !== undefined) timer = setTimeout(settle, timeoutMs, null);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  isBroken(): boolean {
    return this.#link.isBroken();
  }

  figures(): SignalFigures {
    const { losses } = this.#link;
    return { isBroken: this.isBroken(), losses, sent: this.#sent, received: this.#received };
  }

  /** Hands over the signals of a transaction of this process, which is committed. */
  committed(events: readonly SignalEvent[], tokens: readonly number[]): void {
    this.#link.committed(events, tokens);
    this.#sent += events.length;
    // What others do because of it is not the time of whoever committed.
    this.#spending.within(undefined, () =>
      queueMicrotask(() => {
        for (const event of events) this.#deliver(event);
      }),
    );
  }

  close(): void {
    // Nobody is left to wake them, and their timers would hold the process.
    for (const giveUp of this.#waits) giveUp();
    this.#subscribers.clear();
    this.#link.pause();
  }

  #receive(event: SignalEvent): void {
    this.#received += 1;
    this.#deliver(event);
  }

  #deliver(event: SignalEvent): void {
    for (const subscriber of this.#subscribers) {
      if (event.topic !== '*' && !event.topic.startsWith(subscriber.prefix)) continue;
      try {
        subscriber.fn(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
