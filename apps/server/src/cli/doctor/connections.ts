/** Which connections and virtual MCPs there are, and which of them could not be asked. */
import type { ConnectionState } from '@parley/connections';
import { connectionMigrations, connectionStates } from '@parley/connections';
import type { Config } from '../../config.ts';
import { connectionChecks } from '../../health/findings.ts';
import type { Check } from '../../health/check.ts';
import { hasDatabase, withStore } from './database.ts';

const NAME = 'connections';
const MOST_NAMED = 20;

export interface CheckedConnections {
  /** One for all, then one for each that has a fault; none where nothing is connected. */
  readonly checks: readonly Check[];
  /** Where they are served. */
  readonly paths: readonly string[];
}

/** Reads what is known; asks no server. */
export async function checkConnections(config: Config): Promise<CheckedConnections> {
  if (!(await hasDatabase(config))) return { checks: [], paths: [] };
  let all: readonly ConnectionState[] | undefined;
  const looked = await withStore(config, { name: NAME, needs: [connectionMigrations] }, async (store) => {
    all = await connectionStates(store);
    return { name: NAME, state: 'ok', found: `${all.length} are known` };
  });
  if (all === undefined) return { checks: [looked], paths: [] };
  const paths = all.map(({ id, isVirtual }) => `/mcp/${isVirtual ? 'virtual-mcp/' : ''}${id}`);
  return { checks: connectionChecks(all, MOST_NAMED), paths };
}
