/** Aligned columns that can be read and grepped, whatever the cells hold. */
import { printable } from '../printable.ts';

/** A cell of exactly this width, whose end goes where there is no room for it; ids of keys and agents have 30. */
export function fitted(text: string, width: number): string {
  const shown = printable(text);
  return shown.length <= width ? shown.padEnd(width) : `${shown.slice(0, width - 3)}...`;
}

/** A header line and one line per row. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows].map((row) => row.map(printable));
  const widths = header.map((_title, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
