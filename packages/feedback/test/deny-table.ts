/** Reads `src/deny-table.md`, where it is written down who is refused what. */
import { readFileSync } from 'node:fs';
import type { Caller } from '@parley/kit';
import { exportArchive } from '../src/transfer/export-archive.ts';
import type { TestApi } from './rest-api.ts';

/** A line of a table: its cells by the heads of their columns. */
export type Line = (column: string) => string;

/** The lines of the table under a heading; a cell that is empty or absent is a fault of the table. */
export function linesOf(heading: string): Line[] {
  const text = readFileSync(new URL('../src/deny-table.md', import.meta.url), 'utf8');
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
  if (rows.length === 0) throw new Error(`The deny table has no lines under ${heading}.`);
  return rows.map((cells) => (column) => {
    const cell = cells[head.indexOf(column)];
    if (cell === undefined || cell === '') throw new Error(`${cells[0]} has nothing under ${column}.`);
    return cell;
  });
}

/** The names of a cell that lists several. */
export function namesIn(cell: string): string[] {
  return cell.split(', ');
}

/** Every name that a grant on feedback can give, as the table has them. */
export function grantNames(): string[] {
  const named = [...linesOf('Routes'), ...linesOf('Resources')].flatMap((line) => namesIn(line('grant')));
  return [...new Set([...named, ...linesOf('Tools').map((line) => line('tool'))])];
}

/** The caller behind a key of somebody with these grants on feedback. */
export async function callerWith(api: TestApi, by: Caller, tools: readonly string[]): Promise<Caller> {
  const text = await api.keyFor(by, { grants: { feedback: tools } });
  const caller = await api.identity.authenticate(text, 'key');
  if (caller === undefined) throw new Error('A new key is not accepted.');
  return caller;
}

/** Everything in an organization, to see that nothing has changed. */
export async function contentOf({ services, admin }: TestApi): Promise<string> {
  const pieces: string[] = [];
  await exportArchive({ ...services, now: () => 0 }, admin, async (piece) => {
    pieces.push(piece);
  });
  const rest = [await services.webhooks.list(admin), await services.members.list(admin)];
  return `${pieces.join('')}${JSON.stringify(rest)}`;
}
