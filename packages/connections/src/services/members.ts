/** The members of a virtual MCP, with what it shows of each. */
import type { Caller } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { ConnectionAggregationRow, ConnectionTables } from '../schema.ts';
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
  const names = (text: string | null) => (text === null ? null : fromJson<string[]>(text));
  return {
    connection_id: row.child_id,
    selected_tools: names(row.selected_tools),
    selected_resources: names(row.selected_resources),
    selected_prompts: names(row.selected_prompts),
  };
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
  for (const [position, member] of given.entries()) {
    const id = member.connection_id;
    const was = known.get(id);
    const selected = columnsOf(member);
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
  if (rows.length > 0) await db.insertInto('connection_aggregations').values(rows).execute();
}

function columnsOf({ selected_tools, selected_resources, selected_prompts }: GivenMember) {
  const names = (given: readonly string[] | null | undefined) =>
    given === null || given === undefined ? null : toJson([...new Set(given)]);
  return {
    selected_tools: names(selected_tools),
    selected_resources: names(selected_resources),
    selected_prompts: names(selected_prompts),
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
    throw new ToolError('not_found', `${pathOf(missing)}: there is no connection "${ids[missing]}"`);
  return titles;
}

const ALIAS_LENGTH = 24;

function slugOf(title: string): string {
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
