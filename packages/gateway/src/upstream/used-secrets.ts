/** The secrets that this process has sent to upstream servers: what has to be cut out of the records of their calls. */
import type { UpstreamTarget } from '@parley/connections';

const MOST = 1_000;

/** Remembers them by connection, within bounds: the one that was used longest ago gives way. */
export class UsedSecrets {
  readonly #known = new Map<string, readonly string[]>();

  keep({ organizationId, id, secrets }: UpstreamTarget): void {
    const key = keyOf(organizationId, id);
    // A call that still runs may say back a secret that was replaced meanwhile.
    const before = this.#known.get(key) ?? [];
    this.#known.delete(key);
    this.#known.set(key, [...new Set([...secrets, ...before])].slice(0, MOST_OF_ONE));
    if (this.#known.size <= MOST) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      break;
    }
  }

  of(organizationId: string, connectionId: string): readonly string[] {
    return this.#known.get(keyOf(organizationId, connectionId)) ?? [];
  }
}

const MOST_OF_ONE = 250;

const keyOf = (organizationId: string, connectionId: string) => `${organizationId} ${connectionId}`;
