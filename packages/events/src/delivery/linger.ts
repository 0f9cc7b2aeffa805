/** The short stay of a pump that has nothing left to bring: what comes in that time needs no new pump. */

/** An organization's pumps that stay at once, in this process: each holds a place that another one could want. */
const MOST_OF_ORGANIZATION = 4;
const MOST = 16;

/** Counts who stays. */
export class Lingering {
  readonly #ms: number;
  readonly #ofOrganization = new Map<string, number>();
  #all = 0;

  constructor(lingerMs: number) {
    this.#ms = lingerMs;
  }

  /** True when the bell rang in time; false when it did not, the signal fired, or too many stay already. */
  async stay(organizationId: string, rung: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const own = this.#ofOrganization.get(organizationId) ?? 0;
    if (this.#ms === 0 || own >= MOST_OF_ORGANIZATION || this.#all >= MOST || signal.aborted) return false;
    this.#ofOrganization.set(organizationId, own + 1);
    this.#all += 1;
    const over = Promise.withResolvers<void>();
    const leave = () => over.resolve();
    const timer = setTimeout(leave, this.#ms);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([rung.then(() => true), over.promise.then(() => false)]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      this.#all -= 1;
      const left = (this.#ofOrganization.get(organizationId) ?? 1) - 1;
      if (left === 0) this.#ofOrganization.delete(organizationId);
      else this.#ofOrganization.set(organizationId, left);
    }
  }
}
