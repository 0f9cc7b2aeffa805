/** Those who listen to one program: what they want together is asked for once, and again after it was lost. */
import { setTimeout as delay } from 'node:timers/promises';
import { detach } from '@parley/kit';
import type { LinkNotice, LinkWatch } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import type { RunningProgram } from './running-program.ts';
import type { ProgramTimes } from './times.ts';

export interface WatchesParts {
  readonly times: ProgramTimes;
  /** Fires when there is nothing more to hear. */
  readonly closed: AbortSignal;
  readonly onFault: (error: unknown) => void;
  /** Starts the program if need be. */
  ready(): Promise<RunningProgram>;
  /** The program as it runs now. */
  current(): RunningProgram | undefined;
}

interface Watch {
  uris: ReadonlySet<string>;
  on(notice: LinkNotice): void;
}

export class Watches {
  readonly #parts: WatchesParts;
  readonly #watches = new Set<Watch>();
  /** Sets of documents go out one after the other. */
  #asked: Promise<unknown> = Promise.resolve();
  #isReopening = false;
  #reopenedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;

  constructor(parts: WatchesParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#watches.size === 0;
  }

  async add(on: (notice: LinkNotice) => void, uris?: ReadonlySet<string>): Promise<LinkWatch> {
    const watch: Watch = { uris: new Set(uris), on };
    this.#watches.add(watch);
    try {
      await this.#ask(await this.#parts.ready());
    } catch (error) {
      await this.#remove(watch);
      throw error;
    }
    return {
      setUris: async (wanted) => {
        watch.uris = new Set(wanted);
        const running = this.#parts.current();
        // Where it does not run now, all is asked for when it does.
        if (running !== undefined) await this.#ask(running);
      },
      close: () => this.#remove(watch),
    };
  }

  clear(): void {
    this.#watches.clear();
  }

  tell(notice: LinkNotice): void {
    for (const { uris, on } of this.#watches) {
      if (notice.kind === 'resource' && !isAmong(uris, notice.uri)) continue;
      try {
        on(notice);
      } catch (error) {
        this.#parts.onFault(error);
      }
    }
  }

  /** What was listened to is lost; it is asked for again until it is there, as long as anybody wants to hear it. */
  lost(): void {
    if (this.#isReopening || this.isEmpty) return;
    this.#isReopening = true;
    detach(
      this.#reopen().finally(() => (this.#isReopening = false)),
      this.#parts.onFault,
    );
  }

  async #reopen(): Promise<void> {
    const { closed: signal, times } = this.#parts;
    // One that is lost again and again is looked after less and less.
    if (performance.now() - this.#reopenedAt > times.mostBackoffMs) this.#pauseMs = times.backoffMs;
    let waitMs = this.#pauseMs;
    while (!signal.aborted && !this.isEmpty) {
      // Spread, so that the programs of a machine that was asleep do not all start at once.
      const spreadMs = waitMs * (1 + Math.random() / 4);
      // Only the end of it all cuts the wait short.
      await delay(spreadMs, undefined, { signal, ref: false }).catch(() => undefined);
      this.#pauseMs = Math.min(2 * this.#pauseMs, times.mostBackoffMs);
      try {
        await this.#ask(await this.#parts.ready());
        this.#reopenedAt = performance.now();
        return this.tell({ kind: 'reopened' });
      } catch (error) {
        waitMs = (error instanceof UpstreamFault ? error.retryAfterMs : undefined) ?? this.#pauseMs;
      }
    }
  }

  async #remove(watch: Watch): Promise<void> {
    this.#watches.delete(watch);
    const running = this.#parts.current();
    // Where it fails, nobody hears what the program still says.
    if (running !== undefined) await this.#ask(running).catch(() => undefined);
  }

  #ask(running: RunningProgram): Promise<void> {
    const next = this.#asked.then(() => {
      const uris = new Set([...this.#watches].flatMap((watch) => [...watch.uris]));
      return running.listen(this.isEmpty ? undefined : uris);
    });
    // Whoever asked is told; the next one only waits for it.
    this.#asked = next.catch(() => undefined);
    return next;
  }
}

/** What belongs to a document that is listened to may be named instead of it. */
function isAmong(uris: ReadonlySet<string>, uri: string): boolean {
  return uris.has(uri) || [...uris].some((one) => uri.startsWith(one));
}
