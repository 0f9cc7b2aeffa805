/** What requests come over, when that outlives them: a 2025 session or a stdio process. */
import { randomUUID } from 'node:crypto';

/** A connection as a tool sees it. */
export interface Connection {
  /** Unlike that of any other connection, in every process. */
  readonly id: string;
  /** Runs when the connection ends; the owner of the connection waits for the work, which reports its own faults. */
  onEnd(work: () => Promise<void>): void;
}

/** A connection as its owner sees it. */
export class OpenConnection implements Connection {
  readonly id = randomUUID();
  readonly #works: (() => Promise<void>)[] = [];
  #ended: Promise<unknown> | undefined;

  onEnd(work: () => Promise<void>): void {
    // A call may outlive its connection; what it leaves behind is cleared up all the same.
    if (this.#ended === undefined) this.#works.push(work);
    else this.#ended = Promise.allSettled([this.#ended, work()]);
  }

  /** Ends it once, and waits for what that brings about. */
  async end(): Promise<void> {
    this.#ended ??= Promise.allSettled(this.#works.map((work) => work()));
    await this.#ended;
  }
}
