/** Owns what is open beside a list: a row of it, or what is read by its id because the list has not come that far. */
import { useQuery } from '@tanstack/react-query';
import type { ListQuery } from './list-screen.tsx';

/** What is looked for, and where. */
export interface WhatIsOpen<T> {
  readonly id: string | undefined;
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly list: ListQuery;
  /** Begins with the live topic of the list. */
  readonly queryKey: readonly string[];
  /** Reads this one alone; undefined: there is none. */
  readonly read: (id: string, signal: AbortSignal) => Promise<T | undefined>;
}

/** The row that is open, and the query for its `DetailPane`; a link to it works however far the list was read. */
export function useOpened<T>({ id, rows, keyOf, list, queryKey, read }: WhatIsOpen<T>): {
  readonly row: T | undefined;
  readonly query: ListQuery;
} {
  const listed = id === undefined ? undefined : rows.find((row) => keyOf(row) === id);
  const one = useQuery({
    queryKey: [...queryKey, 'opened', id],
    queryFn: async ({ signal }) => (await read(id ?? '', signal)) ?? null,
    enabled: id !== undefined && listed === undefined && !list.isPending,
  });
  if (listed !== undefined || list.isPending) return { row: listed, query: list };
  return { row: one.data ?? undefined, query: one };
}
