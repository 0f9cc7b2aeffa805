/** What connections may call back for as they are now: asked of whoever knows them, and kept until one changes. */
import type { Grants } from '@parley/kit';
import type { Store } from '@parley/store';
import { RecentMap } from './recent-map.ts';

/** Tells what a connection may call back for. */
export interface CallBackLookup {
  /** The signal that says that a connection has changed. */
  readonly topic: string;
  /** The grants of its scopes; undefined when there is no such connection, or it is off or may not call back. */
  grantsOf(organizationId: string, connectionId: string): Promise<Grants | undefined>;
}

const MAX_KEPT = 10_000;

export class CallBacks {
  readonly #store: Store;
  readonly #kept = new RecentMap<Promise<Grants | undefined>>(MAX_KEPT);
  #lookup: CallBackLookup | undefined;
  #unsubscribe: () => void = () => undefined;
  /** Is told before anybody asks again. */
  onChange: () => void = () => undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  serve(lookup: CallBackLookup): void {
    this.#unsubscribe();
    this.#lookup = lookup;
    this.#forget();
    this.#unsubscribe = this.#store.signal.subscribe(lookup.topic, () => this.#forget());
  }

  /** Before there is a lookup no connection may call back. */
  async grantsOf(organizationId: string, connectionId: string): Promise<Grants | undefined> {
    if (this.#lookup === undefined) return undefined;
    const id = JSON.stringify([organizationId, connectionId]);
    // While nothing is heard of other processes, what one of them took away would count here.
    const kept = this.#store.signal.isBroken() ? undefined : this.#kept.get(id);
    if (kept !== undefined) return kept;
    const asking = this.#lookup.grantsOf(organizationId, connectionId);
    this.#kept.set(id, asking);
    try {
      return await asking;
    } catch (error) {
      if (this.#kept.get(id) === asking) this.#kept.delete(id);
      throw error;
    }
  }

  close(): void {
    this.#unsubscribe();
  }

  #forget(): void {
    this.#kept.clear();
    this.onChange();
  }
}
