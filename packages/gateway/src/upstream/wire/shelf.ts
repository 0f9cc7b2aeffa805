/** The conversations of one connection that are kept between calls: how many, how long, and which goes first. */
import { detach } from '@parley/kit';
import { UpstreamFault } from '../link.ts';
import type { Conversation } from './conversation.ts';
import type { WireLimits } from './limits.ts';

interface Kept {
  readonly opening: Promise<Conversation>;
  conversation: Conversation | undefined;
  /** Calls that use it or wait for it. */
  holds: number;
  lastUsedMs: number;
}

export interface ShelfParts {
  readonly limits: Pick<WireLimits, 'maxSessions' | 'sessionIdleMs'>;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

export class Shelf {
  readonly #kept = new Map<string, Kept>();
  readonly #parts: ShelfParts;
  #isClosed = false;

  constructor(parts: ShelfParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Does work in the conversation of a key, which is opened if need be. */
  async use<T>(
    key: string,
    open: () => Promise<Conversation>,
    work: (conversation: Conversation) => Promise<T>,
  ): Promise<T> {
    const kept = this.#kept.get(key) ?? this.#open(key, open);
    kept.holds += 1;
    try {
      kept.conversation = await kept.opening;
      return await work(kept.conversation);
    } finally {
      kept.holds -= 1;
      kept.lastUsedMs = this.#parts.now();
    }
  }

  /** Lets go of a conversation that is over; the next one to ask opens another. */
  drop(key: string, over: Conversation | undefined): void {
    if (this.#kept.get(key)?.conversation === over) this.#kept.delete(key);
  }

  /** Ends what nobody has used for a while. */
  sweep(): void {
    const beforeMs = this.#parts.now() - this.#parts.limits.sessionIdleMs;
    for (const [key, kept] of this.#kept) {
      if (isIdle(kept) && kept.lastUsedMs <= beforeMs) this.#let(key, kept);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#kept.values()];
    this.#kept.clear();
    // What cannot be opened needs no end.
    await Promise.allSettled(all.map(async ({ opening }) => (await opening).end()));
  }

  #open(key: string, open: () => Promise<Conversation>): Kept {
    if (this.#isClosed)
      throw new UpstreamFault('unreachable', 'The connection was changed or switched off. Try again.', {
        wasSent: false,
      });
    this.#makeRoom();
    const kept: Kept = { opening: open(), conversation: undefined, holds: 0, lastUsedMs: this.#parts.now() };
    this.#kept.set(key, kept);
    const forget = () => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    };
    const settled = kept.opening.then((conversation) => {
      kept.conversation = conversation;
      return conversation.ended;
    });
    // Whoever waits for the opening hears why it failed.
    detach(settled.then(forget, forget), (error) => this.#parts.onFault(error, 'upstream session'));
    return kept;
  }

  #makeRoom(): void {
    const { maxSessions } = this.#parts.limits;
    if (this.#kept.size < maxSessions) return;
    const [oldest] = [...this.#kept]
      .filter(([, kept]) => isIdle(kept))
      .toSorted(([, one], [, other]) => one.lastUsedMs - other.lastUsedMs);
    if (oldest === undefined)
      throw new UpstreamFault('rate_limited', `${maxSessions} sessions are in use. Try again later.`, {
        wasSent: false,
      });
    this.#let(...oldest);
  }

  #let(key: string, { conversation }: Kept): void {
    this.#kept.delete(key);
    if (conversation !== undefined)
      detach(conversation.end(), (error) => this.#parts.onFault(error, 'upstream session'));
  }
}

function isIdle({ holds, conversation }: Kept): boolean {
  return holds === 0 && conversation !== undefined && !conversation.isBusy;
}
