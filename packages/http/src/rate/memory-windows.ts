/** Windows in the memory of this process: enough where one process serves, and for a brake on a nuisance. */
import type { Hits, RateCounter, Share, Span } from './window.ts';
import { leaveMsOf, waitMsOf } from './window.ts';

const MAX_WINDOWS = 100_000;

/** Sliding windows by name. */
export class MemoryWindows implements RateCounter {
  readonly #span: Span;
  readonly #windows = new Map<string, readonly Hits[]>();

  constructor(span: Span) {
    this.#span = span;
  }

  take(shares: readonly Share[], nowMs: number): number {
    return Math.max(...shares.map((share) => this.#hit(share, nowMs)));
  }

  sweep(nowMs: number): void {
    for (const [name, hits] of this.#windows)
      if ((hits.at(-1)?.leaveMs ?? 0) <= nowMs) this.#windows.delete(name);
  }

  #hit({ name, limit }: Share, nowMs: number): number {
    const hits = (this.#windows.get(name) ?? []).filter(({ leaveMs }) => leaveMs > nowMs);
    const waitMs = waitMsOf(hits, limit, nowMs);
    if (waitMs > 0) return waitMs;
    // Put at the end, so that the first one is the one that was quiet for longest.
    this.#windows.delete(name);
    this.#windows.set(name, withOne(hits, leaveMsOf(this.#span, nowMs)));
    const [quietest] = this.#windows.keys();
    if (this.#windows.size > MAX_WINDOWS && quietest !== undefined) this.#windows.delete(quietest);
    return 0;
  }
}

function withOne(hits: readonly Hits[], leaveMs: number): readonly Hits[] {
  const last = hits.at(-1);
  if (last?.leaveMs !== leaveMs) return [...hits, { leaveMs, count: 1 }];
  return [...hits.slice(0, -1), { leaveMs, count: last.count + 1 }];
}
