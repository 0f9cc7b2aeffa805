/** Whose tools a virtual MCP shows: what a grant has to name, so that a key has one of them. */
import type { Queryable } from '@parley/store';
import type { Look } from './member-names.ts';
import { knownMembers, ownTools, settleAll, virtualIdOf } from './member-names.ts';

/** A tool under the name that a virtual MCP shows, and where grants look for it. */
export interface ToolOrigin {
  readonly name: string;
  /** The connection, or the virtual MCP itself for a tool in code. */
  readonly resource: string;
  /** The name that its server gave it. */
  readonly tool: string;
}

/** All tools that a virtual MCP shows now, those of virtual MCPs inside it too. */
export async function toolOrigins(
  from: Queryable,
  organizationId: string,
  virtualMcpId: string,
  { self, above = [] }: Pick<Look, 'self' | 'above'> = {},
): Promise<ToolOrigin[]> {
  if (above.includes(virtualMcpId)) return [];
  const members = await knownMembers(from, organizationId, virtualMcpId, { self, above });
  const { tools } = await settleAll(from, { organizationId, virtualMcpId, members });
  const own = await ownTools(from, virtualMcpId);
  const origins = own.map((name): ToolOrigin => ({ name, resource: virtualMcpId, tool: name }));
  const inner = new Map<string, ReadonlyMap<string, ToolOrigin> | undefined>();
  for (const { connection_id: id, upstream_name: tool, exposed_name: name } of tools.names) {
    if (!inner.has(id)) {
      const nested = await virtualIdOf(from, organizationId, id);
      const look = { self, above: [...above, virtualMcpId] };
      const found = nested && (await toolOrigins(from, organizationId, nested, look));
      inner.set(id, found ? new Map(found.map((each) => [each.name, each])) : undefined);
    }
    const nested = inner.get(id);
    const origin = nested === undefined ? { resource: id, tool } : nested.get(tool);
    if (origin !== undefined) origins.push({ ...origin, name });
  }
  return origins;
}
