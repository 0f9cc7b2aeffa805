/** Who uses a connection, and letting go of it everywhere. */
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';

interface Named {
  readonly id: string;
  readonly title: string;
}

/** The virtual MCPs that contain a connection, or whose tools need it. */
export function usersOf(tx: StoreTransaction, organizationId: string, childId: string): Promise<Named[]> {
  return tx
    .db<ConnectionTables>()
    .selectFrom('connection_aggregations as member')
    .innerJoin('connections as parent', 'parent.id', 'member.parent_id')
    .select(['parent.id', 'parent.title'])
    .distinct()
    .where('member.organization_id', '=', organizationId)
    .where('member.child_id', '=', childId)
    .orderBy('parent.id')
    .execute();
}

/** The connections that stand for a virtual MCP. */
export function standInsOf(
  tx: StoreTransaction,
  organizationId: string,
  virtualId: string,
): Promise<Named[]> {
  return tx
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select(['id', 'title'])
    .where('organization_id', '=', organizationId)
    .where('virtual_id', '=', virtualId)
    .orderBy('id')
    .execute();
}

/** The refusal to delete what others use. */
export function inUse(virtualMcps: readonly Named[], connections: readonly Named[] = []): ToolError {
  const names = [...virtualMcps, ...connections].map(({ title }) => `"${title}"`).join(', ');
  return new ToolError('connection_in_use', `It is used by ${names}. Take it out there first.`, {
    virtualMcps,
    ...(connections.length > 0 && { connections }),
  });
}

/** Takes a connection out of every virtual MCP and of every tool that needs it. */
export async function letGo(tx: StoreTransaction, organizationId: string, childId: string): Promise<void> {
  const db = tx.db<ConnectionTables>();
  const members = await db
    .deleteFrom('connection_aggregations')
    .where('organization_id', '=', organizationId)
    .where('child_id', '=', childId)
    .returning(['parent_id', 'dependency_mode'])
    .execute();
  const parents = members.filter(({ dependency_mode }) => dependency_mode === 'indirect');
  if (parents.length === 0) return;
  const tools = await db
    .selectFrom('virtual_tools')
    .select(['id', 'connection_dependencies'])
    .where('organization_id', '=', organizationId)
    .where(
      'virtual_mcp_id',
      'in',
      parents.map(({ parent_id }) => parent_id),
    )
    .execute();
  for (const { id, connection_dependencies } of tools) {
    const before = fromJson<string[]>(connection_dependencies);
    const left = before.filter((dependency) => dependency !== childId);
    if (left.length === before.length) continue;
    const changes = { connection_dependencies: toJson(left) };
    await db.updateTable('virtual_tools').set(changes).where('id', '=', id).execute();
  }
}
