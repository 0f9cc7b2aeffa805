/** Owns showing a list of like objects as a table. */
import { useMemo, useState } from 'react';
import type { Column } from '../../ui/data-table.tsx';
import { DataTable } from '../../ui/data-table.tsx';

type Row = Readonly<Record<string, unknown>>;

/** A list that was found, and where. */
export interface FoundTable {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
}

const LEAST_ROWS = 2;
const MOST_COLUMNS = 8;
const LOOKED_AT = 50;

/** Finds the list in an answer: the answer itself, or the one list among its fields. */
export function findTable(value: unknown): FoundTable | undefined {
  if (Array.isArray(value)) return tableOf('', value);
  if (typeof value !== 'object' || value === null) return undefined;
  const lists = Object.entries(value).flatMap(([name, part]) => {
    const table: FoundTable | undefined = Array.isArray(part) ? tableOf(name, part) : undefined;
    return table ? [table] : [];
  });
  return lists.length === 1 ? lists[0] : undefined;
}

function tableOf(name: string, list: readonly unknown[]): FoundTable | undefined {
  if (list.length < LEAST_ROWS || !list.slice(0, LOOKED_AT).every(isRow)) return undefined;
  const rows = list.filter(isRow);
  const columns = new Set(rows.slice(0, LOOKED_AT).flatMap((row) => Object.keys(row)));
  return { name, rows, columns: [...columns].slice(0, MOST_COLUMNS) };
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** The table; more than a screenful scrolls in its own box. */
export function ResultTable({ table }: { readonly table: FoundTable }) {
  const [sort, setSort] = useState<string>();
  const rows = useMemo(() => table.rows.map((row, index) => ({ index, row })), [table]);
  const columns = useMemo(
    () =>
      table.columns.map((name): Column<(typeof rows)[number]> => {
        const cell = ({ row }: (typeof rows)[number]) => <span className="truncate">{shown(row[name])}</span>;
        const sortValue = ({ row }: (typeof rows)[number]) =>
          typeof row[name] === 'number' ? row[name] : shown(row[name]);
        return { id: name, header: name, cell, sortValue };
      }),
    [table.columns],
  );
  return (
    <div className="tools-table">
      <DataTable
        label={table.name === '' ? 'Result' : table.name}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        sort={sort}
        onSort={setSort}
      />
      <div className="tools-table-foot small muted">{rows.length.toLocaleString('en')} rows</div>
    </div>
  );
}

function keyOf({ index }: { readonly index: number }): string {
  return String(index);
}
