/** Which connections and virtual MCPs there are, and which of them could not be asked. */
import type { ConnectionState } from '@parley/connections';
import { connectionMigrations, connectionStates } from '@parley/connections';
import type { Config } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Check } from './check.ts';
import { hasDatabase, withStore } from './database.ts';
import { word } from './shell-word.ts';

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
  const others = all.filter(({ id, isVirtual }) => !isVirtual && !id.endsWith('_self'));
  if (others.length === 0) return { checks: [], paths };
  const faulty = others.filter(({ status }) => status === 'error' || status === 'needs_reauth');
  const found = `${others.length - faulty.length} of ${others.length} answered when they were asked last, or are switched off`;
  const sum: Check = { name: NAME, state: faulty.length === 0 ? 'ok' : 'warn', found };
  return { checks: [sum, ...faulty.slice(0, MOST_NAMED).map(faultOf)], paths };
}

function faultOf({ id, title, status, lastError }: ConnectionState): Check {
  const state = status === 'error' ? 'in error' : status;
  const why = lastError === null ? state : `${state}: ${printable(lastError)}`;
  const fix =
    status === 'needs_reauth'
      ? `Run "parley connect authorise ${word(id)}", or give it a token.`
      : `Run "parley connect test ${word(id)}", which tries again and tells more.`;
  return { name: NAME, state: 'warn', found: `${printable(title)} (${id}) is ${why}`, fix };
}
