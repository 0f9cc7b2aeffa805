/** Owns the order of rows, by the column that is chosen. */
import { createSortedRowModel, rowSortingFeature, tableFeatures, useTable } from '@tanstack/react-table';
import type { ColumnDef, SortingState } from '@tanstack/react-table';
import { useMemo } from 'react';
import type { DataTableProps } from './table-types.ts';

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

/** The rows in their order; those that come sorted stay as they are. */
export function useSortedRows<T>({
  rows,
  columns,
  keyOf,
  sort,
  isSortedByServer,
}: DataTableProps<T>): readonly T[] {
  const defs = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, object> => ({
        id: column.id,
        accessorFn: (row) => column.sortValue?.(row as T) ?? undefined, // Rows are handed through as they are
        sortUndefined: 'last',
        sortFn: (a, b, id) => compare(a.getValue(id), b.getValue(id)),
      })),
    [columns],
  );
  const id = sort?.replace(/^-/, '') ?? '';
  const canSort = !isSortedByServer && columns.some((column) => column.id === id && column.sortValue);
  const sorting = useMemo<SortingState>(
    () => (canSort ? [{ id, desc: sort?.startsWith('-') === true }] : []),
    [canSort, id, sort],
  );
  const table = useTable({
    features,
    columns: defs,
    data: rows as readonly object[], // A row is an object
    getRowId: (row) => keyOf(row as T), // The same rows as above
    state: { sorting },
  });
  // Without a sort nothing is built: a hundred thousand rows take a while.
  const model = canSort ? table.getRowModel() : undefined;
  return useMemo(() => model?.rows.map((row) => row.original as T) ?? rows, [model, rows]); // The same rows as above
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a), String(b));
}
