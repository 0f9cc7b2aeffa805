/** The names under which a virtual MCP shows the tools of its members: fixed once seen, never two alike. */
import { createHash } from 'node:crypto';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionTables, ExposedNameRow } from '../schema.ts';
import type { VirtualMcp } from '../shapes/virtual-mcp.ts';
import { memberRows } from './members.ts';

type Collision = NonNullable<VirtualMcp['collisions']>[number];

const MOST_CHARACTERS = 64;
const KEPT_CHARACTERS = 55;

interface Named {
  readonly exposed_name: string;
  readonly connection_id: string;
  readonly upstream_name: string;
}

/** Where two members have a tool of the same name, and who kept it. */
export async function collisionsOf(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<Collision[]> {
  const { names, holders } = await namesOf(from, organizationId, id);
  return names.flatMap((named) => {
    const holder = holders.get(bareName(named));
    if (holder === undefined || holder === named.connection_id) return [];
    return [{ ...named, winner_connection_id: holder }];
  });
}

/** Keeps the names of everything that is known now, so that they stay whatever comes and goes. */
export async function fixNames(tx: StoreTransaction, organizationId: string, id: string): Promise<void> {
  const { names, kept } = await namesOf(tx, organizationId, id);
  const known = new Set(kept.map(keyOf));
  const rows = names
    .filter((named) => !known.has(keyOf(named)))
    .map((named): ExposedNameRow => ({
      virtual_mcp_id: id,
      organization_id: organizationId,
      kind: 'tools',
      ...named,
    }));
  const db = tx.db<ConnectionTables>();
  for (let at = 0; at < rows.length; at += 100) {
    // A tool of the virtual MCP itself may hold a name that was another's before.
    await db
      .insertInto('exposed_names')
      .values(rows.slice(at, at + 100))
      .onConflict((conflict) => conflict.columns(['virtual_mcp_id', 'kind', 'exposed_name']).doNothing())
      .execute();
  }
}

const keyOf = ({ connection_id, upstream_name }: Pick<Named, 'connection_id' | 'upstream_name'>) =>
  `${connection_id} ${upstream_name}`;

async function namesOf(from: Queryable, organizationId: string, id: string) {
  const db = from.db<ConnectionTables>();
  const members = await memberRows(from, organizationId, [id]);
  const kept = await db
    .selectFrom('exposed_names')
    .select(['connection_id', 'upstream_name', 'exposed_name'])
    .where('virtual_mcp_id', '=', id)
    .where('kind', '=', 'tools')
    .execute();
  const own = await db.selectFrom('virtual_tools').select('name').where('virtual_mcp_id', '=', id).execute();
  const keptNames = new Map(kept.map((named) => [keyOf(named), named.exposed_name]));
  const taken = new Set(own.map(({ name }) => name));
  // The bare name is held by a tool of the virtual MCP itself, then by whoever had it first.
  const holders = new Map(own.map(({ name }) => [name, id]));
  const present = new Set(members.map(({ child_id }) => child_id));
  for (const { connection_id, upstream_name, exposed_name } of kept) {
    if (!present.has(connection_id) || taken.has(exposed_name)) continue;
    taken.add(exposed_name);
    if (exposed_name === bareName({ connection_id, upstream_name })) holders.set(exposed_name, connection_id);
  }
  const names: Named[] = [];
  for (const member of members) {
    const tools = await shownTools(from, member.child_id, member.selected_tools);
    for (const upstream_name of tools) {
      const named = { connection_id: member.child_id, upstream_name };
      const before = keptNames.get(keyOf(named));
      const isKept = before !== undefined && holders.get(before) !== id;
      const exposed_name = isKept ? before : freeName(named, member.alias, taken);
      taken.add(exposed_name);
      const bare = bareName(named);
      if (!holders.has(bare)) holders.set(bare, member.child_id);
      names.push({ ...named, exposed_name });
    }
  }
  return { names, kept, holders };
}

async function shownTools(from: Queryable, connectionId: string, selected: string | null): Promise<string[]> {
  const known = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select('body')
    .where('connection_id', '=', connectionId)
    .where('kind', '=', 'tools')
    .executeTakeFirst();
  const names = fromJson<{ name: string }[]>(known?.body ?? '[]').map(({ name }) => name);
  if (selected === null) return names;
  const wanted = new Set(fromJson<string[]>(selected));
  return names.filter((name) => wanted.has(name));
}

type Unnamed = Omit<Named, 'exposed_name'>;

/** The name that a tool would have if no other had it. */
function bareName(tool: Unnamed): string {
  return safeName(tool.upstream_name, tool);
}

function safeName(name: string, tool: Unnamed): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^_/, 'x_');
  return plain.length > MOST_CHARACTERS ? `${plain.slice(0, KEPT_CHARACTERS)}_${hashOf(tool)}` : plain;
}

function hashOf(tool: Unnamed): string {
  return createHash('sha256').update(keyOf(tool)).digest('hex').slice(0, 8);
}

function freeName(tool: Unnamed, alias: string, taken: ReadonlySet<string>): string {
  const prefixed = safeName(`${alias}_${tool.upstream_name}`, tool);
  const free = [bareName(tool), prefixed].find((name) => !taken.has(name));
  return free ?? `${prefixed.slice(0, KEPT_CHARACTERS)}_${hashOf(tool)}`;
}
