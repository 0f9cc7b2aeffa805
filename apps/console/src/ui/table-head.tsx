/** Owns the head of a table: names of columns, sort, select all. */
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Checkbox } from './checkbox.tsx';
import { classes } from './classes.ts';
import type { Selection } from './table-selection.ts';
import type { DataTableProps } from './table-types.ts';

/** The first row. */
export function Head<T>({
  columns,
  sort,
  onSort,
  bulk,
  rows,
  selection,
}: DataTableProps<T> & { readonly selection: Selection<T> }) {
  return (
    <div role="rowgroup" className="table-head">
      <div role="row" className="table-row">
        {bulk && (
          <div role="columnheader" className="table-check">
            <Checkbox
              label="Select all"
              isChecked={rows.length > 0 && selection.rows.length === rows.length}
              isMixed={selection.rows.length > 0 && selection.rows.length < rows.length}
              onChange={selection.toggleAll}
            />
          </div>
        )}
        {columns.map((column) => {
          const isSorted = sort?.replace(/^-/, '') === column.id;
          const isDown = sort?.startsWith('-') === true;
          return (
            <div
              key={column.id}
              role="columnheader"
              aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}
              className={classes('table-cell', column.align === 'end' && 'table-end')}
            >
              {(column.sortValue || column.isServerSorted) && onSort ? (
                <button
                  type="button"
                  className="table-sort"
                  onClick={() => onSort(isSorted && !isDown ? `-${column.id}` : column.id)}
                >
                  {column.header}
                  {isSorted && (isDown ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
                </button>
              ) : (
                <span className="truncate">{column.header}</span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
