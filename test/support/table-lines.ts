/** Reads the tables of Markdown files in which it is written down who may do what. */
import { readFileSync } from 'node:fs';

/** A line of a table: its cells by the heads of their columns. */
export type Line = (column: string) => string;

/** The lines of the table under a heading; a cell that is empty or absent is a fault of the table. */
export function linesOf(file: URL, heading: string): Line[] {
  const text = readFileSync(file, 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const [head = [], , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  if (rows.length === 0) throw new Error(`${file.pathname} has no lines under ${heading}.`);
  return rows.map((cells) => (column) => {
    const cell = cells[head.indexOf(column)];
    if (cell === undefined || cell === '') throw new Error(`${cells[0]} has nothing under ${column}.`);
    return cell;
  });
}
