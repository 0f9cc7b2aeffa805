/** The virtual MCPs of organizations as they are stored, read once until somebody changes them. */
import type { ServedVirtualMcps } from '@parley/connections';
import { servedVirtualMcps } from '@parley/connections';
import type { Store } from '@parley/store';
import { keepRecent } from './keep-recent.ts';

interface Entry {
  rows?: Promise<ServedVirtualMcps>;
  value?: ServedVirtualMcps;
}

/** What was read, and what is being read. */
export class StoredRows {
  readonly #store: Store;
  readonly #entries = new Map<string, Entry>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The rows as they are now; whoever asks while they are read waits for the same. */
  of(organizationId: string): Promise<ServedVirtualMcps> {
    const known = this.#entries.get(organizationId);
    // While nothing is heard of other processes, only what is being read counts.
    const isOld = known?.value !== undefined && this.#store.signal.isBroken();
    const entry: Entry = known === undefined || isOld ? {} : known;
    entry.rows ??= this.#read(organizationId, entry);
    keepRecent(this.#entries, organizationId, entry);
    return entry.rows;
  }

  /** The rows, when they are read and still right. */
  current(organizationId: string): ServedVirtualMcps | undefined {
    return this.#entries.get(organizationId)?.value;
  }

  /** Reads again what is asked for next; without a name, everything. */
  forget(organizationId: string | undefined): void {
    if (organizationId === undefined) this.#entries.clear();
    else this.#entries.delete(organizationId);
  }

  async #read(organizationId: string, entry: Entry): Promise<ServedVirtualMcps> {
    try {
      entry.value = await this.#store.snapshot((from) => servedVirtualMcps(from, organizationId));
      return entry.value;
    } catch (error) {
      // The next one tries again.
      if (this.#entries.get(organizationId) === entry) this.#entries.delete(organizationId);
      throw error;
    }
  }
}
