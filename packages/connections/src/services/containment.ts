/** Who contains whom: virtual MCPs must not contain themselves, nor each other too deep. */
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';

const MOST_LEVELS = 5;

interface Graph {
  readonly virtual: ReadonlySet<string>;
  readonly inside: ReadonlyMap<string, readonly string[]>;
}

/** Refuses the state of an organization in which a virtual MCP contains itself, or one is too deep. */
export async function checkContainment(tx: StoreTransaction, organizationId: string): Promise<void> {
  const graph = await readGraph(tx, organizationId);
  const levels = new Map<string, number>();
  for (const id of graph.virtual) levelsOf(graph, id, levels, new Set());
}

/** How many virtual MCPs stand inside each other from here on. */
function levelsOf(graph: Graph, id: string, known: Map<string, number>, above: Set<string>): number {
  const before = known.get(id);
  if (before !== undefined) return before;
  if (above.has(id))
    throw new ToolError(
      'invalid',
      'connections: a virtual MCP must not contain itself, directly or by others',
    );
  above.add(id);
  const below = (graph.inside.get(id) ?? []).map((child) => levelsOf(graph, child, known, above));
  above.delete(id);
  const levels = Math.max(0, ...below) + (graph.virtual.has(id) ? 1 : 0);
  if (levels > MOST_LEVELS)
    throw new ToolError(
      'invalid',
      `connections: virtual MCPs may stand at most ${MOST_LEVELS} deep in each other`,
    );
  known.set(id, levels);
  return levels;
}

async function readGraph(tx: StoreTransaction, organizationId: string): Promise<Graph> {
  const db = tx.db<ConnectionTables>();
  const virtual = await db
    .selectFrom('connections')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('is_virtual_mcp', '=', 1)
    .execute();
  const members = await db
    .selectFrom('connection_aggregations')
    .select(['parent_id as outer', 'child_id as inner'])
    .where('organization_id', '=', organizationId)
    .where('dependency_mode', '=', 'direct')
    .execute();
  const standIns = await db
    .selectFrom('connections')
    .select(['id as outer', 'virtual_id as inner'])
    .where('organization_id', '=', organizationId)
    .where('virtual_id', 'is not', null)
    .execute();
  const inside = new Map<string, string[]>();
  for (const { outer, inner } of [...members, ...standIns]) {
    if (inner !== null) inside.set(outer, [...(inside.get(outer) ?? []), inner]);
  }
  return { virtual: new Set(virtual.map(({ id }) => id)), inside };
}
