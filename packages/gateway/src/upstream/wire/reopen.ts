/** Streams that are wanted for long: a lost one is opened again, later each time, until it is closed. */
import { detach } from '@parley/kit';
import type { WireLimits } from './limits.ts';

/** A stream that is open. */
export interface OpenStream {
  /** Settles when it is over, whatever ended it. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** What is kept open. */
export interface Wanted {
  /** Opens it once; null: the server does not offer it, and is not asked again. */
  open(): Promise<OpenStream | null>;
  /** Told when a stream is there again after one was lost. */
  onReopened(): void;
  readonly limits: Pick<WireLimits, 'firstBackoffMs' | 'lastBackoffMs'>;
  readonly onFault: (error: unknown) => void;
}

/** The wait before the next attempt: doubled each time, and never the same for all. */
export class Backoff {
  readonly #limits: Wanted['limits'];
  #nextMs: number;

  constructor(limits: Wanted['limits']) {
    this.#limits = limits;
    this.#nextMs = limits.firstBackoffMs;
  }

  next(): number {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, this.#limits.lastBackoffMs);
    return ms * (0.75 + Math.random() / 4);
  }

  reset(): void {
    this.#nextMs = this.#limits.firstBackoffMs;
  }
}

/** One wanted stream. */
export class KeptOpen {
  readonly #wanted: Wanted;
  readonly #backoff: Backoff;
  #current: OpenStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #wasLost = false;
  /** Attempts come one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#backoff = new Backoff(wanted.limits);
  }

  /** Opens it, beside what is open already, which is let go then; a failed attempt is repeated later. */
  async open(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#attempt());
    await this.#turn;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = undefined;
    await current?.close();
  }

  async #attempt(): Promise<void> {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const before = this.#current;
    try {
      const opened = await this.#wanted.open();
      if (opened === null) return;
      this.#current = opened;
      detach(this.#watch(opened), this.#wanted.onFault);
      await before?.close();
      if (this.#isClosed) return await this.close();
      if (!this.#wasLost) return;
      this.#wasLost = false;
      this.#wanted.onReopened();
    } catch {
      // What is wrong with the server is told to whoever calls it; here only the stream matters.
      this.#later();
    }
  }

  async #watch(stream: OpenStream): Promise<void> {
    const openedMs = performance.now();
    await stream.ended.catch(() => undefined);
    if (this.#isClosed || this.#current !== stream) return;
    // A server that takes streams and drops them at once is not asked faster for it.
    if (performance.now() - openedMs > this.#wanted.limits.lastBackoffMs) this.#backoff.reset();
    this.#current = undefined;
    this.#later();
  }

  #later(): void {
    if (this.#isClosed) return;
    this.#wasLost = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => detach(this.open(), this.#wanted.onFault), this.#backoff.next());
    this.#timer.unref();
  }
}
