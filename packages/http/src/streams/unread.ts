/** What clients leave unread: each stream may hold a little, all of them together a bounded amount more, for a while. */
import type { ServerResponse } from 'node:http';

/** How much may wait, and how long. */
export interface UnreadLimits {
  /** Every stream may have this much unread. */
  readonly freeBytes: number;
  /** One stream may have this much unread while there is room. */
  readonly streamBytes: number;
  /** All streams that have more than the free part share this much. */
  readonly sharedBytes: number;
  /** A stream that stays above the free part this long is not being read. */
  readonly patienceMs: number;
}

/** The defaults: notices are small, and an answer or a resumed log is read within seconds. */
export const DEFAULT_UNREAD_LIMITS: UnreadLimits = {
  freeBytes: 64 * 1024,
  streamBytes: 8 * 1024 * 1024,
  sharedBytes: 64 * 1024 * 1024,
  patienceMs: 30_000,
};

/** Something that bytes leave through. */
export interface Outlet {
  unreadBytes(): number;
  /** Ends it at once; what is unread is thrown away. */
  cut(): void;
}

/** Counts the unread bytes of all outlets that share a budget. */
export class UnreadBytes {
  readonly #limits: UnreadLimits;
  /** The outlets above the free part. */
  readonly #heavy = new Map<Outlet, NodeJS.Timeout>();

  constructor(limits: Partial<UnreadLimits> = {}) {
    this.#limits = { ...DEFAULT_UNREAD_LIMITS, ...limits };
  }

  /** True when the outlet may take more; an outlet that may not is cut. */
  admit(outlet: Outlet, sizeBytes: number): boolean {
    const unread = outlet.unreadBytes();
    if (unread + sizeBytes <= this.#limits.freeBytes) {
      this.forget(outlet);
      return true;
    }
    // One message of any size may follow when everything before it was read; how large it is, others decide.
    if (unread > 0 && !this.#hasRoom(outlet, unread + sizeBytes)) {
      this.forget(outlet);
      outlet.cut();
      return false;
    }
    if (!this.#heavy.has(outlet)) this.#heavy.set(outlet, this.#timer(outlet));
    return true;
  }

  /** The outlet is gone. */
  forget(outlet: Outlet): void {
    clearTimeout(this.#heavy.get(outlet));
    this.#heavy.delete(outlet);
  }

  /**
   * Puts every write to a response under the budget. Writes never ask the writer to wait: the SDK would
   * hold what it cannot write in queues that nobody counts.
   */
  guard(res: ServerResponse): void {
    const outlet: Outlet = { unreadBytes: () => res.writableLength, cut: () => res.destroy() };
    const write = res.write.bind(res);
    const guarded = (chunk: string | Uint8Array, ...rest: []): boolean => {
      if (res.destroyed || res.writableEnded) return true;
      if (this.admit(outlet, Buffer.byteLength(chunk))) write(chunk, ...rest);
      return true;
    };
    // The overloads of `write` differ only in what follows the chunk, and that is handed on.
    res.write = guarded as typeof res.write;
    res.on('error', () => res.destroy());
    res.once('close', () => this.forget(outlet));
  }

  #hasRoom(outlet: Outlet, sizeBytes: number): boolean {
    const { freeBytes, streamBytes, sharedBytes } = this.#limits;
    if (sizeBytes > streamBytes) return false;
    let others = 0;
    for (const other of this.#heavy.keys()) {
      const unread = other.unreadBytes();
      if (unread <= freeBytes) this.forget(other);
      else if (other !== outlet) others += unread;
    }
    return others + sizeBytes <= sharedBytes;
  }

  #timer(outlet: Outlet): NodeJS.Timeout {
    const { freeBytes, patienceMs } = this.#limits;
    return setTimeout(() => {
      this.forget(outlet);
      if (outlet.unreadBytes() > freeBytes) outlet.cut();
    }, patienceMs).unref();
  }
}

/** Ends a response: in order when everything was read, at once when an end would have to wait for a reader. */
export function endOrDestroy(res: ServerResponse): void {
  if (res.writableEnded || res.writableLength > 0) res.destroy();
  else res.end();
}
