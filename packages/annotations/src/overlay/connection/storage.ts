/** Owns the overlay's few values in the tab's and the origin's storage; a blocked storage only forgets. */

/** JSON values under one prefix. */
export interface Shelf {
  read(name: string): unknown;
  write(name: string, value: unknown): void;
}

/** Opens a storage; pages that forbid it get one that keeps values until the page is left. */
export function openShelf(storage: () => Storage, prefix: string): Shelf {
  const kept = new Map<string, unknown>();
  return {
    read(name) {
      if (kept.has(name)) return kept.get(name);
      try {
        const text = storage().getItem(prefix + name);
        return text === null ? undefined : JSON.parse(text);
      } catch {
        return undefined;
      }
    },
    write(name, value) {
      kept.set(name, value);
      try {
        if (value === undefined) storage().removeItem(prefix + name);
        else storage().setItem(prefix + name, JSON.stringify(value));
      } catch {
        // Full or forbidden: the value lives as long as the page.
      }
    },
  };
}
