/** Owns how the trials are shown, on a terminal and in docs/compatibility.md. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Tried } from './tried.ts';

const PAGE = new URL('../../docs/compatibility.md', import.meta.url);
const BEGIN = '<!-- servers:begin -->';
const END = '<!-- servers:end -->';
const HEADER = [
  'server',
  'version',
  'by',
  'tools',
  '2025 client',
  '2026 client',
  'after removal',
  'tried for',
];

/** The table with its columns in line. */
export function textTable(results: readonly Tried[]): string {
  const rows = [HEADER, ...results.map(cellsOf)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

/** Puts the table into the page, between its marks. */
export async function writeCompatibility(results: readonly Tried[]): Promise<void> {
  const text = await readFile(PAGE, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/compatibility.md has lost its marks ${BEGIN} and ${END}.`);
  const rows = [HEADER, HEADER.map(() => '---'), ...results.map(cellsOf)];
  const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
  await writeFile(PAGE, `${before}${BEGIN}\n${table}\n${END}${after}`);
}

function cellsOf({ server, tools, clients, faults }: Tried): string[] {
  const isClean = !faults.some((fault) => fault.includes('left after'));
  const removal = server.by === 'stdio' ? 'no process left' : 'there was no process';
  return [
    server.name,
    server.version(),
    server.by,
    String(tools),
    clients['2025'],
    clients['2026'],
    isClean ? removal : 'processes left',
    server.why,
  ];
}
