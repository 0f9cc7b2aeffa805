/** Which ids a caller may not choose for a connection: those that stand for something else. */
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';
import type { Base } from './base.ts';

/** Parts of addresses below /mcp that are no toolset of this server, or none yet. */
const KEPT = new Set(['agent', 'virtual-mcp']);

/** Refuses an id that is another thing at /mcp, in a grant or in an object. */
export function refuseTakenId({ isToolset }: Pick<Base, 'isToolset'>, caller: Caller, id: string): void {
  if (id.endsWith('_self')) throw new ToolError('invalid', 'id: must not end with _self');
  if (KEPT.has(id) || id in Object.prototype || isToolset(caller, id))
    throw new ToolError('invalid', `id: "${id}" stands for something else here. Choose another one.`);
}

/** Refuses an id that a connection of the organization had before: keys and roles may still have grants on it. */
export async function refuseUsedId(tx: StoreTransaction, organizationId: string, id: string): Promise<void> {
  const used = await tx
    .db<ConnectionTables>()
    .selectFrom('connection_ids_used')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (used !== undefined) throw new ToolError('conflict', 'id: was used before. Choose another one.');
}
