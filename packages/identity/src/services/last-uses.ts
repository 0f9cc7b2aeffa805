/** When keys were last used: written down beside the requests, many keys in one statement. */
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { IdentityTables } from '../schema.ts';

const WRITE_EVERY_MS = 100;
const MOST_AT_ONCE = 1_000;
/** What waits for a database that is away; a use that is not written down is told with the next one. */
const MOST_WAITING = 10_000;

/** The uses of one process that are not written down yet. */
export class LastUses {
  readonly #store: Store;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<string>();
  #usedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** The first at once, since a process may end soon; others with those that come within a moment. */
  note(keyId: string, usedAt: number): void {
    if (this.#isClosed || this.#waiting.size >= MOST_WAITING) return;
    this.#waiting.add(keyId);
    this.#usedAt = Math.max(this.#usedAt, usedAt);
    if (this.#timer !== undefined) return;
    this.#write();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #write(): void {
    const ids = [...this.#waiting].slice(0, MOST_AT_ONCE);
    for (const id of ids) this.#waiting.delete(id);
    detach(this.#update(ids, this.#usedAt), this.#onError);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.size > 0) this.#write();
    }, WRITE_EVERY_MS).unref();
  }

  async #update(ids: string[], usedAt: number): Promise<void> {
    await this.#store
      .db<IdentityTables>()
      .updateTable('api_keys')
      .set({ last_used_at: usedAt })
      .where('id', 'in', ids)
      .execute();
  }
}
