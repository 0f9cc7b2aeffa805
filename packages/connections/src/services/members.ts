/** The members of a virtual MCP, with what it shows of each. */
import type { Caller } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { ConnectionAggregationRow, ConnectionTables } from '../schema.ts';
import type { ToolOverride } from '../shapes/tool-override.ts';
import type { Member, VirtualMcpCreate } from '../shapes/virtual-mcp.ts';
import { requireTools } from './rights.ts';

type GivenMember = VirtualMcpCreate['connections'][number];

/** The members of each virtual MCP, in their order. */
export async function membersOf(
  from: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Member[][]> {
  if (ids.length === 0) return [];
  const rows = await memberRows(from, organizationId, ids);
  const byParent = Map.groupBy(rows, ({ parent_id }) => parent_id);
  return ids.map((id) => (byParent.get(id) ?? []).map(toMember));
}

/** The rows behind them. */
export function memberRows(
  from: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<ConnectionAggregationRow[]> {
  return from
    .db<ConnectionTables>()
    .selectFrom('connection_aggregations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('parent_id', 'in', ids)
    .where('dependency_mode', '=', 'direct')
    .orderBy('position')
    .execute();
}

function toMember(row: ConnectionAggregationRow): Member {
  const { tools, resources, prompts } = selectionOf(row);
  return {
    connection_id: row.child_id,
    selected_tools: tools,
    selected_resources: resources,
    selected_prompts: prompts,
    ...(row.prefix !== null && { prefix: row.prefix }),
    ...(row.overrides !== null && { overrides: overridesOf(row) }),
  };
}

/** What is shown of a member; null: all of it. */
export interface Selection {
  readonly tools: string[] | null;
  /** Patterns of URIs. */
  readonly resources: string[] | null;
  readonly prompts: string[] | null;
}

export function selectionOf(row: ConnectionAggregationRow): Selection {
  const names = (text: string | null) => (text === null ? null : fromJson<string[]>(text));
  return {
    tools: names(row.selected_tools),
    resources: names(row.selected_resources),
    prompts: names(row.selected_prompts),
  };
}

/** The overrides of a member, by the name of the tool. */
export function overridesOf({ overrides }: ConnectionAggregationRow): Record<string, ToolOverride> {
  return overrides === null ? {} : fromJson<Record<string, ToolOverride>>(overrides);
}

/** Puts these members in the place of all others; one that stays keeps its alias. */
export async function replaceMembers(
  tx: StoreTransaction,
  caller: Caller,
  parentId: string,
  given: readonly GivenMember[],
): Promise<void> {
  const { organizationId } = caller;
  const before = await memberRows(tx, organizationId, [parentId]);
  const titles = await titlesOf(tx, organizationId, given);
  const known = new Map(before.map((row) => [row.child_id, row]));
  // Those that stay keep theirs, wherever a new one is put.
  const aliases = new Set(given.flatMap(({ connection_id }) => known.get(connection_id)?.alias ?? []));
  const rows: ConnectionAggregationRow[] = [];
  const renamed: string[] = [];
  for (const [position, member] of given.entries()) {
    const id = member.connection_id;
    const was = known.get(id);
    const selected = columnsOf(member);
    // A name begins with the prefix, so those with another one are over.
    if (was !== undefined && was.prefix !== selected.prefix) renamed.push(id);
    if (was === undefined || was.selected_tools !== selected.selected_tools)
      requireTools(caller, id, member.selected_tools ?? null);
    const alias = was?.alias ?? freeAlias(slugOf(titles.get(id) ?? ''), aliases);
    aliases.add(alias);
    rows.push({
      id: was?.id ?? typeId('agg'),
      organization_id: organizationId,
      parent_id: parentId,
      child_id: id,
      ...selected,
      alias,
      position,
      dependency_mode: 'direct',
    });
  }
  const db = tx.db<ConnectionTables>();
  await db
    .deleteFrom('connection_aggregations')
    .where('organization_id', '=', organizationId)
    .where('parent_id', '=', parentId)
    .where('dependency_mode', '=', 'direct')
    .execute();
  for (let at = 0; at < rows.length; at += 50)
    await db
      .insertInto('connection_aggregations')
      .values(rows.slice(at, at + 50))
      .execute();
  if (renamed.length > 0)
    await db
      .deleteFrom('exposed_names')
      .where('virtual_mcp_id', '=', parentId)
      .where('connection_id', 'in', renamed)
      .where('kind', 'in', ['tools', 'prompts'])
      .execute();
}

function columnsOf(given: GivenMember) {
  const { selected_tools, selected_resources, selected_prompts, prefix = null, overrides } = given;
  const names = (wanted: readonly string[] | null | undefined) =>
    wanted === null || wanted === undefined ? null : toJson([...new Set(wanted)]);
  const hasOverrides = overrides !== null && overrides !== undefined && Object.keys(overrides).length > 0;
  return {
    selected_tools: names(selected_tools),
    selected_resources: names(selected_resources),
    selected_prompts: names(selected_prompts),
    prefix,
    overrides: hasOverrides ? toJson(overrides) : null,
  };
}

/** The titles of the members; refuses one that is named twice or is not there. */
async function titlesOf(
  tx: StoreTransaction,
  organizationId: string,
  given: readonly GivenMember[],
): Promise<Map<string, string>> {
  const ids = given.map(({ connection_id }) => connection_id);
  const twice = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (twice !== -1)
    throw new ToolError('invalid', `connections.${twice}.connection_id: "${ids[twice]}" is named twice`);
  return connectionTitles(tx, organizationId, ids, (index) => `connections.${index}.connection_id`);
}

/** The titles of connections of the organization; the first that is not there is refused by its place. */
export async function connectionTitles(
  tx: StoreTransaction,
  organizationId: string,
  ids: readonly string[],
  pathOf: (index: number) => string,
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select(['id', 'title'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  const missing = ids.findIndex((id) => !titles.has(id));
  if (missing !== -1)
    throw new ToolError(
      'not_found',
      `${pathOf(missing)}: there is no connection with the id "${ids[missing]}". Give an id that COLLECTION_CONNECTIONS_LIST shows, not a title.`,
    );
  return titles;
}

const ALIAS_LENGTH = 24;

/** The title as a part of names. */
export function slugOf(title: string): string {
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, ALIAS_LENGTH)
    .replaceAll(/^_|_$/g, '');
  return slug === '' ? 'connection' : slug;
}

function freeAlias(wanted: string, taken: ReadonlySet<string>): string {
  for (let count = 1, alias = wanted; ; count += 1, alias = `${wanted}_${count}`) {
    if (!taken.has(alias)) return alias;
  }
}
