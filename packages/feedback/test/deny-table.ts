/** Reads `src/deny-table.md`, where it is written down who is refused what. */
import type { Caller } from '@parley/kit';
import { linesOf as readLines } from '@parley/test-support/table-lines';
import { exportArchive } from '../src/transfer/export-archive.ts';
import type { TestApi } from './rest-api.ts';

export type { Line } from '@parley/test-support/table-lines';

const TABLE = new URL('../src/deny-table.md', import.meta.url);

/** The lines of the table under a heading. */
export const linesOf = (heading: string) => readLines(TABLE, heading);

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
  const rest = [await services.webhooks.list(admin), await services.members.list(admin, { limit: 1000 })];
  return `${pieces.join('')}${JSON.stringify(rest)}`;
}
