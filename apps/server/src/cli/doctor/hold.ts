/** Check of the hold: does a restored server wait for leave to act. */
import type { Config } from '../../config.ts';
import { holdChecks } from '../../health/findings.ts';
import { holdMigrations, readHold } from '../../hold/held-row.ts';
import type { Check } from '../../health/check.ts';
import { hasDatabase, withStore } from './database.ts';

/** Said only where there is one: a server that acts needs no line for it. */
export async function checkHold(config: Config): Promise<Check[]> {
  if (!(await hasDatabase(config))) return [];
  const name = 'hold';
  const found = await withStore(config, { name, needs: [holdMigrations] }, async (store) => {
    const [check = { name, state: 'ok', found: 'none' } as const] = holdChecks(await readHold(store));
    return check;
  });
  // What cannot be looked into is a finding of the database, and one is enough.
  return found.state === 'warn' && found.fix !== undefined ? [found] : [];
}
