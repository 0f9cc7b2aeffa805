/** What the members of virtual MCPs have now: connections as they were read, this server itself, and virtual MCPs inside others. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionAggregationRow, ConnectionTables } from '../schema.ts';
import { selfConnectionId } from '../self-connection.ts';
import { memberRows, selectionOf } from './members.ts';
import type { NameKind, NamingMember, SettledNames } from './naming.ts';
import { NAME_KINDS, settleNames } from './naming.ts';
import { uriSelection } from './uri-patterns.ts';

/** A virtual MCP and what its members show, by kind. */
export interface NamedMembers {
  readonly organizationId: string;
  readonly virtualMcpId: string;
  readonly members: Readonly<Record<NameKind, readonly NamingMember[]>>;
}

/** The names of a connection's own; a kind of which nothing was read is left out. */
export type NamesThere = Partial<Record<NameKind, readonly string[]>>;

/** The names of what this server has itself, as which it is a member. */
export type OwnNames = () => NamesThere;

/** How members are looked at. */
export interface Look {
  /** Absent: nothing is known of this server itself. */
  readonly self?: OwnNames | undefined;
  /** The virtual MCPs that this is looked at for; none: what is virtual is left for when it is first served. */
  readonly above?: readonly string[] | undefined;
  readonly isShallow?: boolean;
}

/** What was read of connections, and nothing of what is virtual: that is named when it is first served. */
export const CATALOGS_ALONE: Look = { isShallow: true };

const MOST_LEVELS = 5;

/** What a member has, by its own names, before anything is selected. */
export async function namesThere(
  from: Queryable,
  organizationId: string,
  connectionId: string,
  { self, above = [], isShallow = false }: Look,
): Promise<NamesThere> {
  if (connectionId === selfConnectionId(organizationId)) return isShallow ? {} : (self?.() ?? {});
  const virtualId = isShallow ? undefined : await virtualIdOf(from, organizationId, connectionId);
  if (virtualId === undefined) return readNames(from, connectionId);
  if (above.includes(virtualId) || above.length >= MOST_LEVELS) return {};
  const members = await knownMembers(from, organizationId, virtualId, { self, above });
  const settled = await settleAll(from, { organizationId, virtualMcpId: virtualId, members });
  const shown = (kind: NameKind) => settled[kind].names.map(({ exposed_name }) => exposed_name);
  const tools = [...(await ownTools(from, virtualId)), ...shown('tools')];
  return { tools, prompts: shown('prompts'), resources: shown('resources') };
}

/** The virtual MCP that a member is or stands for; undefined: it is none. */
export async function virtualIdOf(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const row = await from
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select(['is_virtual_mcp', 'virtual_id'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.is_virtual_mcp === 1 ? id : (row?.virtual_id ?? undefined);
}

async function readNames(from: Queryable, connectionId: string): Promise<NamesThere> {
  const bodies = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select(['kind', 'body'])
    .where('connection_id', '=', connectionId)
    .where('kind', 'in', ['tools', 'prompts', 'resources', 'templates'])
    .execute();
  const read = (kind: string) => {
    const body = bodies.find((catalog) => catalog.kind === kind)?.body;
    return body === undefined
      ? undefined
      : fromJson<{ name: string; uri?: string; uriTemplate?: string }[]>(body);
  };
  const [tools, prompts] = [read('tools'), read('prompts')];
  const [resources, templates] = [read('resources'), read('templates')];
  const documents =
    resources === undefined && templates === undefined
      ? undefined
      : [...(resources ?? []), ...(templates ?? [])];
  return {
    ...(tools && { tools: tools.map(({ name }) => name) }),
    ...(prompts && { prompts: prompts.map(({ name }) => name) }),
    ...(documents && {
      resources: documents.flatMap(({ uri, uriTemplate }) => uri || uriTemplate || []),
    }),
  };
}

/** The members with what is shown of each. */
export async function knownMembers(
  from: Queryable,
  organizationId: string,
  id: string,
  look: Look,
): Promise<NamedMembers['members']> {
  const rows = await memberRows(from, organizationId, [id]);
  const members: Record<NameKind, NamingMember[]> = { tools: [], prompts: [], resources: [] };
  const above = [...(look.above ?? []), id];
  for (const row of rows) {
    const { child_id: connectionId, alias, prefix } = row;
    const names = selectedOf(row, await namesThere(from, organizationId, connectionId, { ...look, above }));
    for (const kind of NAME_KINDS) members[kind].push({ connectionId, alias, prefix, names: names[kind] });
  }
  return members;
}

function selectedOf(
  row: ConnectionAggregationRow,
  { tools = [], prompts = [], resources = [] }: NamesThere,
): Record<NameKind, string[]> {
  const selection = selectionOf(row);
  const among = (names: readonly string[], selected: readonly string[] | null) => {
    const wanted = selected && new Set(selected);
    return names.filter((name) => wanted?.has(name) !== false);
  };
  return {
    tools: among(tools, selection.tools),
    prompts: among(prompts, selection.prompts),
    resources: resources.filter(uriSelection(selection.resources)),
  };
}

/** The names that each has, kept or new. */
export async function settleAll(
  from: Queryable,
  { virtualMcpId, members }: NamedMembers,
): Promise<Record<NameKind, SettledNames>> {
  const db = from.db<ConnectionTables>();
  const kept = await db
    .selectFrom('exposed_names')
    .select(['kind', 'connection_id', 'upstream_name', 'exposed_name'])
    .where('virtual_mcp_id', '=', virtualMcpId)
    .orderBy('exposed_name')
    .execute();
  const own = await ownTools(from, virtualMcpId);
  const settled = (kind: NameKind) =>
    settleNames({
      virtualMcpId,
      kind,
      own: kind === 'tools' ? own : [],
      kept: kept
        .filter((row) => row.kind === kind)
        .map(({ connection_id, upstream_name, exposed_name }) => ({
          connection_id,
          upstream_name,
          exposed_name,
        })),
      members: members[kind],
    });
  return { tools: settled('tools'), prompts: settled('prompts'), resources: settled('resources') };
}

/** The tools in code of a virtual MCP. */
export async function ownTools(from: Queryable, virtualMcpId: string): Promise<string[]> {
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('virtual_tools')
    .select('name')
    .where('virtual_mcp_id', '=', virtualMcpId)
    .execute();
  return rows.map(({ name }) => name);
}
