/** Turns: at most so many at a time of one kind and of all, a few wait, the others are refused. */
import { SqlFault, TIMED_OUT } from './databases.ts';

const BUSY = 'This database has enough statements under way. Try again when they are done.';

/** Hands out turns by key. */
export class Turns {
  readonly #perKey: number;
  readonly #inAll: number;
  readonly #waitingPerKey: number;
  readonly #running = new Map<string, number>();
  #count = 0;
  readonly #waiting: { readonly key: string; readonly go: () => void }[] = [];

  constructor({ perKey, inAll, waitingPerKey }: { perKey: number; inAll: number; waitingPerKey: number }) {
    this.#perKey = perKey;
    this.#inAll = inAll;
    this.#waitingPerKey = waitingPerKey;
  }

  /** Runs work in its turn, which has to come before the signal fires. */
  async take<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(key, signal);
    try {
      return await work();
    } finally {
      this.#leave(key);
    }
  }

  #hasRoom(key: string): boolean {
    return this.#count < this.#inAll && (this.#running.get(key) ?? 0) < this.#perKey;
  }

  #enter(key: string): void {
    this.#count += 1;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  async #turn(key: string, signal: AbortSignal): Promise<void> {
    if (this.#hasRoom(key)) {
      this.#enter(key);
      return;
    }
    if (signal.aborted) throw new SqlFault('timeout', TIMED_OUT);
    const before = this.#waiting.filter((turn) => turn.key === key).length;
    if (before >= this.#waitingPerKey) throw new SqlFault('rate_limited', BUSY);
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(new SqlFault('timeout', TIMED_OUT));
      };
      const turn = {
        key,
        go: () => {
          signal.removeEventListener('abort', leave);
          this.#enter(key);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(turn);
    });
  }

  #leave(key: string): void {
    this.#count -= 1;
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
    const next = this.#waiting.findIndex((turn) => this.#hasRoom(turn.key));
    if (next !== -1) this.#waiting.splice(next, 1)[0]?.go();
  }
}
