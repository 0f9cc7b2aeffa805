/** Calls that a program works on: which of them something belongs to that the program says without naming one. */
import type { LinkRequest } from '../link.ts';

/** A call that is not answered yet. */
export class Flight {
  readonly call: LinkRequest;
  #ended: AbortController | undefined;

  constructor(call: LinkRequest) {
    this.call = call;
  }

  /** Fires when it is answered or given up; most calls are never asked for it. */
  get ended(): AbortSignal {
    return (this.#ended ??= new AbortController()).signal;
  }

  end(): void {
    this.#ended?.abort();
  }
}

/** Other requests carry nothing of anybody that a program could repeat. */
const METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);

// So long a program that ignores a cancel may still speak of a call that was given up.
const ABANDONED_MS = 60_000;
const MOST_ABANDONED = 1_000;

/** The calls of one process. */
export class Flights {
  /** Oldest first. */
  readonly #flights = new Map<number, Flight>();
  readonly #abandoned = new Map<number, { readonly call: LinkRequest; readonly at: number }>();

  get size(): number {
    return this.#flights.size;
  }

  get(id: number): Flight | undefined {
    return this.#flights.get(id);
  }

  begin(id: number, call: LinkRequest): void {
    this.#flights.set(id, new Flight(call));
  }

  end(id: number): void {
    this.#flights.get(id)?.end();
    this.#flights.delete(id);
  }

  /** The call was ended on this side; whether the program goes on with it is not known. */
  abandon(id: number, call: LinkRequest): void {
    this.#forgetAbandoned();
    this.#abandoned.set(id, { call, at: performance.now() });
  }

  /** The program has answered it, too late. */
  answered(id: number): void {
    this.#abandoned.delete(id);
  }

  /** The lists are others, which any of the calls may have brought about. */
  tellLists(): void {
    for (const { call } of this.#flights.values()) call.onLists?.();
  }

  /**
   * The newest call that fits. None where the program works on calls of several principals: what it says may then
   * repeat something of one to another.
   */
  newest(fits: (call: LinkRequest) => boolean): Flight | undefined {
    this.#forgetAbandoned();
    const flights = [...this.#flights.values()].filter(({ call }) => METHODS.has(call.method));
    const abandoned = [...this.#abandoned.values()].filter(({ call }) => METHODS.has(call.method));
    const calls = [...flights, ...abandoned].map(({ call }) => call);
    return areOfOne(calls) ? flights.findLast(({ call }) => fits(call)) : undefined;
  }

  #forgetAbandoned(): void {
    const since = performance.now() - ABANDONED_MS;
    for (const [id, { at }] of this.#abandoned) {
      if (at > since && this.#abandoned.size < MOST_ABANDONED) return;
      this.#abandoned.delete(id);
    }
  }
}

/** True for one call, and for several of the same principal; a call without one is nobody else's. */
function areOfOne([first, ...others]: readonly LinkRequest[]): boolean {
  if (others.length === 0) return true;
  return first?.principal !== undefined && others.every(({ principal }) => principal === first.principal);
}
