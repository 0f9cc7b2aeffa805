/** One figure out of many values, taken from the newest to the oldest. */

export type AggregateFn = 'sum' | 'avg' | 'min' | 'max' | 'count' | 'last';
export type Figure = number | string | boolean | null;

/** Takes values and tells the figure. */
export class Aggregate {
  readonly #fn: AggregateFn;
  #count = 0;
  #numbers = 0;
  #sum = 0;
  #least = Infinity;
  #greatest = -Infinity;
  #last: Figure = null;

  constructor(fn: AggregateFn) {
    this.#fn = fn;
  }

  /** The values of one record; those of newer records come first. */
  add(values: readonly unknown[]): void {
    const newest = values.at(-1);
    if (this.#count === 0 && newest !== undefined) this.#last = figureOf(newest);
    this.#count += values.length;
    for (const value of values) {
      if (typeof value !== 'number' || !Number.isFinite(value)) continue;
      this.#numbers += 1;
      this.#sum += value;
      this.#least = Math.min(this.#least, value);
      this.#greatest = Math.max(this.#greatest, value);
    }
  }

  /** Null when there was nothing to take; throws when there was, and none of it was a number. */
  figure(): Figure {
    if (this.#fn === 'count') return this.#count;
    if (this.#count === 0) return null;
    if (this.#fn === 'last') return this.#last;
    if (this.#numbers === 0)
      throw new Error(`The path selects no numbers, which "${this.#fn}" needs. Use "count" or "last".`);
    switch (this.#fn) {
      case 'sum':
        return this.#sum;
      case 'avg':
        return this.#sum / this.#numbers;
      case 'min':
        return this.#least;
      case 'max':
        return this.#greatest;
    }
  }
}

/** A single value as it is, anything else as JSON. */
export function figureOf(value: unknown): Figure {
  const isSingle = typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean';
  if (isSingle || value === null) return value;
  return JSON.stringify(value) ?? null;
}
