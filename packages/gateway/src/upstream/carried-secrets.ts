/** The secrets that calls carry to upstream servers: what is kept of a call has to be without them, and they go with it. */
import type { RequestInfo } from '@parley/kit';

/** Known by the request of a call, which nobody holds once its record is written. */
export class CarriedSecrets {
  readonly #known = new WeakMap<RequestInfo, readonly string[]>();

  add(request: RequestInfo, secrets: readonly string[]): void {
    const before = this.of(request);
    if (secrets.length === 0 || before === secrets) return;
    this.#known.set(request, before.length === 0 ? secrets : [...new Set([...before, ...secrets])]);
  }

  of(request: RequestInfo): readonly string[] {
    return this.#known.get(request) ?? NONE;
  }
}

const NONE: readonly string[] = [];
