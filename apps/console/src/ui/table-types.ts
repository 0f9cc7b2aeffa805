/** Owns what a table is told: its columns, rows and acts. */
import type { ReactNode } from 'react';

/** One column. */
export interface Column<T> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** A track of a CSS grid: `120px`, `minmax(160px, 2fr)`; by default all share. */
  readonly width?: string;
  readonly align?: 'start' | 'end';
  /** Given: the column sorts by it. */
  readonly sortValue?: (row: T) => string | number | null | undefined;
  /** True: rows come in its order, from either end, and its head says which. */
  readonly isServerSorted?: boolean;
  /** True: on a phone it is left out; others stand in the second line. */
  readonly isWideOnly?: boolean;
}

/** What a table takes. The first column is the main one: it opens the row and is the first line on a phone. */
export interface DataTableProps<T> {
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** What the table is, for screen readers. */
  readonly label: string;
  readonly onOpen?: (row: T) => void;
  /** The row that is open beside the table. */
  readonly openKey?: string;
  /** `name` or `-name`: a column's id, with a minus from the end. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** True: the rows come sorted; the table only says how. */
  readonly isSortedByServer?: boolean;
  /** Given: rows can be selected, and this is shown for those that are. */
  readonly bulk?: (rows: readonly T[], clear: () => void) => ReactNode;
  /** Called when the end comes near: load more. */
  readonly onEnd?: () => void;
  readonly isLoadingMore?: boolean;
  /** More keys, for the row that the keyboard is on. */
  readonly rowKeys?: Readonly<Record<string, (row: T) => void>>;
  /** True: the table is as high as its rows and its page scrolls. */
  readonly isInline?: boolean;
  /** What stands after the last row. */
  readonly footer?: ReactNode;
}
