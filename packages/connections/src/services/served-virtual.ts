/** Virtual MCPs as the gateway serves them: their members with what is shown of each, and their own tools. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionStatus, ConnectionTables } from '../schema.ts';
import { selfConnectionId } from '../self-connection.ts';
import type { ToolOverride } from '../shapes/tool-override.ts';
import type { Selection } from './members.ts';
import { overridesOf, selectionOf } from './members.ts';

/** A member of a virtual MCP. */
export interface ServedMember {
  readonly connectionId: string;
  readonly title: string;
  readonly status: ConnectionStatus;
  /** The virtual MCP that it is or stands for; null: a connection to something else. */
  readonly virtualId: string | null;
  readonly alias: string;
  readonly prefix: string | null;
  readonly selection: Selection;
  readonly overrides: Readonly<Record<string, ToolOverride>>;
}

/** A tool written in code. */
export interface ServedVirtualTool {
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown> | null;
  readonly annotations: Readonly<Record<string, unknown>> | null;
  readonly code: string;
  /** The connections that it may call besides the members. */
  readonly dependencies: readonly string[];
}

export interface ServedVirtualMcp {
  readonly id: string;
  readonly title: string;
  readonly status: ConnectionStatus;
  readonly instructions: string | null;
  readonly members: readonly ServedMember[];
  readonly tools: readonly ServedVirtualTool[];
}

/** All virtual MCPs of an organization. */
export interface ServedVirtualMcps {
  readonly byId: ReadonlyMap<string, ServedVirtualMcp>;
  /** The connections that stand for one, and which. */
  readonly standIns: ReadonlyMap<string, { readonly virtualId: string; readonly status: ConnectionStatus }>;
}

/** Reads the virtual MCPs of an organization, as of one moment. */
export async function servedVirtualMcps(from: Queryable, organizationId: string): Promise<ServedVirtualMcps> {
  const db = from.db<ConnectionTables>();
  const connections = await db
    .selectFrom('connections')
    .select(['id', 'title', 'status', 'metadata', 'is_virtual_mcp', 'virtual_id'])
    .where('organization_id', '=', organizationId)
    .execute();
  const members = await db
    .selectFrom('connection_aggregations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('dependency_mode', '=', 'direct')
    .orderBy('position')
    .execute();
  const tools = await db
    .selectFrom('virtual_tools')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('name')
    .execute();
  const self = selfConnectionId(organizationId);
  const known = new Map(connections.map((connection) => [connection.id, connection]));
  const membersBy = Map.groupBy(members, ({ parent_id }) => parent_id);
  const toolsBy = Map.groupBy(tools, ({ virtual_mcp_id }) => virtual_mcp_id);
  const memberOf = (row: (typeof members)[number]): ServedMember[] => {
    const connection = known.get(row.child_id);
    if (connection === undefined) return [];
    const { id, title, status, is_virtual_mcp, virtual_id } = connection;
    const virtualId = id === self ? null : is_virtual_mcp === 1 ? id : virtual_id;
    const { alias, prefix } = row;
    const [selection, overrides] = [selectionOf(row), overridesOf(row)];
    return [{ connectionId: id, title, status, virtualId, alias, prefix, selection, overrides }];
  };
  const virtual = connections.filter(({ is_virtual_mcp }) => is_virtual_mcp === 1);
  return {
    byId: new Map(
      virtual.map(({ id, title, status, metadata }) => [
        id,
        {
          id,
          title,
          status,
          instructions: instructionsIn(metadata),
          members: (membersBy.get(id) ?? []).flatMap(memberOf),
          tools: (toolsBy.get(id) ?? []).map(toServedTool),
        },
      ]),
    ),
    standIns: new Map(
      connections.flatMap(({ id, virtual_id: virtualId, status }) =>
        virtualId === null ? [] : [[id, { virtualId, status }]],
      ),
    ),
  };
}

function toServedTool(row: ConnectionTables['virtual_tools']): ServedVirtualTool {
  const optional = (text: string | null) =>
    text === null ? null : fromJson<Record<string, unknown> | null>(text);
  return {
    name: row.name,
    description: row.description,
    inputSchema: fromJson<Record<string, unknown>>(row.input_schema),
    outputSchema: optional(row.output_schema),
    annotations: optional(row.hints),
    code: row.code,
    dependencies: fromJson<string[]>(row.connection_dependencies),
  };
}

function instructionsIn(metadata: string | null): string | null {
  const found = metadata === null ? undefined : fromJson<{ instructions?: unknown }>(metadata)?.instructions;
  return typeof found === 'string' && found !== '' ? found : null;
}
