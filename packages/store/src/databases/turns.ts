/** Turns: a few places that organizations share fairly; some work waits, for so long, and the rest is refused. */

/** How many places there are, and how many may wait for one. */
export interface TurnLimits {
  readonly places: number;
  /** How many of one organization may wait. */
  readonly waiting: number;
  readonly waitMs: number;
  /** What one key may have of it, where work has one. */
  readonly perKey?: { readonly places: number; readonly waiting: number };
}

/** Why work was not begun: too much of its key or organization waits, it waited too long, or there are no more turns. */
export type Refusal = 'key_full' | 'organization_full' | 'late' | 'closed';

/** Whose work it is. */
export interface Turn {
  readonly organizationId: string;
  readonly key?: string;
  readonly signal: AbortSignal;
}

interface Waiting extends Turn {
  readonly go: () => void;
  readonly refuse: (error: Error) => void;
}

/** Hands out turns. No organization has more than half of the places, so that one that comes later finds some. */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #refusal: (why: Refusal) => Error;
  readonly #half: number;
  readonly #ofOrganization = new Map<string, number>();
  readonly #ofKey = new Map<string, number>();
  /** Who waits, by organization; the first organization is the next to be served. */
  readonly #queues = new Map<string, Waiting[]>();
  #running = 0;
  #isClosed = false;

  constructor(limits: TurnLimits, refusal: (why: Refusal) => Error) {
    this.#limits = limits;
    this.#refusal = refusal;
    this.#half = Math.max(1, Math.floor(limits.places / 2));
  }

  /** Runs work when its turn comes, unless the signal fires before. */
  async take<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    turn.signal.throwIfAborted();
    if (this.#isClosed) throw this.#refusal('closed');
    if (this.#hasRoom(turn)) this.#count(turn, 1);
    else await this.#wait(turn);
    try {
      return await work();
    } finally {
      this.#count(turn, -1);
      this.#serve();
    }
  }

  /** Refuses who waits, and who comes later. */
  close(): void {
    this.#isClosed = true;
    for (const { refuse } of [...this.#queues.values()].flat()) refuse(this.#refusal('closed'));
  }

  #hasRoom({ organizationId, key }: Turn): boolean {
    const { places, perKey } = this.#limits;
    if (this.#running >= places || (this.#ofOrganization.get(organizationId) ?? 0) >= this.#half)
      return false;
    return key === undefined || perKey === undefined || (this.#ofKey.get(key) ?? 0) < perKey.places;
  }

  #count({ organizationId, key }: Turn, change: 1 | -1): void {
    this.#running += change;
    add(this.#ofOrganization, organizationId, change);
    if (key !== undefined) add(this.#ofKey, key, change);
  }

  async #wait(turn: Turn): Promise<void> {
    const { organizationId, key, signal } = turn;
    const { waiting, waitMs, perKey } = this.#limits;
    const queue = this.#queues.get(organizationId) ?? [];
    const ofKey = key === undefined ? 0 : queue.filter((other) => other.key === key).length;
    if (perKey !== undefined && ofKey >= perKey.waiting) throw this.#refusal('key_full');
    if (queue.length >= waiting) throw this.#refusal('organization_full');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // It leaves at once: a place that is given to who has left would never come back.
    const refuse = (error: Error) => {
      this.#remove(place);
      reject(error);
    };
    const place: Waiting = { ...turn, go: resolve, refuse };
    this.#queues.set(organizationId, [...queue, place]);
    // Whoever cancels gives an error, or Node does.
    const cancel = () => refuse(signal.reason as Error);
    signal.addEventListener('abort', cancel, { once: true });
    const timer = setTimeout(() => refuse(this.#refusal('late')), waitMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Gives free places to who waits, an organization after the other. */
  #serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#remove(next);
      const left = this.#queues.get(next.organizationId);
      this.#queues.delete(next.organizationId);
      if (left !== undefined) this.#queues.set(next.organizationId, left);
      this.#count(next, 1);
      next.go();
    }
  }

  #next(): Waiting | undefined {
    for (const queue of this.#queues.values()) {
      const found = queue.find((turn) => this.#hasRoom(turn));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #remove(place: Waiting): void {
    const left = this.#queues.get(place.organizationId)?.filter((other) => other !== place) ?? [];
    if (left.length === 0) this.#queues.delete(place.organizationId);
    else this.#queues.set(place.organizationId, left);
  }
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
