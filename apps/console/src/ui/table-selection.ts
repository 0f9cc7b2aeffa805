/** Owns which rows are selected; what leaves the list leaves the selection. */
import { useCallback, useMemo, useState } from 'react';

/** What is selected, and how to change it. */
export interface Selection<T> {
  readonly keys: ReadonlySet<string>;
  readonly rows: readonly T[];
  readonly toggle: (key: string) => void;
  readonly toggleAll: () => void;
  readonly clear: () => void;
}

/** Keeps a selection by the keys of rows. */
export function useSelection<T>(rows: readonly T[], keyOf: (row: T) => string): Selection<T> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const selected = useMemo(
    () => (keys.size === 0 ? [] : rows.filter((row) => keys.has(keyOf(row)))),
    [keys, rows, keyOf],
  );
  const toggle = useCallback((key: string) => {
    setKeys((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  return {
    keys,
    rows: selected,
    toggle,
    toggleAll: () => setKeys(selected.length === rows.length ? new Set() : new Set(rows.map(keyOf))),
    clear: () => setKeys(new Set()),
  };
}
