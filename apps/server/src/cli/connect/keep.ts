/** Storing a connection on the machine itself: its program may be started, and its own private address reached. */
import type { Connection, Wanted } from '@parley/connections';
import { connectionData } from '@parley/connections';
import { ToolError } from '@parley/kit';
import { UsageError } from '../../config.ts';
import type { Acting } from '../actions.ts';
import { requireTool } from '../actions.ts';
import { asUsage } from './as-usage.ts';
import { connectionsIn } from './found.ts';
import { isParleyItself } from './own-address.ts';
import { privateAddress } from './private-address.ts';

/** Stores a connection, in the place of the one with this id where one is given, and asks its server for what it has. */
export async function keepConnection(
  acting: Acting,
  wanted: Wanted,
  replacing?: string,
): Promise<Connection> {
  const { caller, config } = acting;
  requireTool(acting, `COLLECTION_CONNECTIONS_${replacing === undefined ? 'CREATE' : 'UPDATE'}`);
  const data = asUsage(() => connectionData(wanted));
  if (isParleyItself(wanted, config)) throw new UsageError('That is Parley itself. Give another server.');
  const allow = 'url' in wanted.to ? await privateAddress(wanted.to.url) : null;
  const connections = await connectionsIn(acting);
  if (replacing === undefined) return connections.create(caller, data, { allow });
  // What the new description does not say is gone, and not kept from the old one.
  const cleared = { connection_url: null, connection_token: null, connection_headers: null };
  const { id: _chosen, ...rest } = data;
  const changed = await connections.update(caller, replacing, { ...cleared, ...rest }, { allow });
  if (changed === undefined) throw new ToolError('not_found', 'The connection was deleted meanwhile.');
  return changed.item;
}
