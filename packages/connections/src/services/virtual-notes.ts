/** What whoever keeps a virtual MCP should know: members that are left out, names that are not there, overrides that do not fit. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';
import type { UpstreamTool } from '../upstream.ts';
import { memberRows, overridesOf, selectionOf } from './members.ts';
import { misfitOf } from './override-fit.ts';

const MOST_NOTES = 50;
/** What is virtual has no catalog of its own, so nothing can be said to be missing from it. */
type Known = Partial<Record<'tools' | 'prompts', readonly UpstreamTool[]>>;

/** The notes on a virtual MCP, in the order of its members. */
export async function notesOn(from: Queryable, organizationId: string, id: string): Promise<string[]> {
  const members = await memberRows(from, organizationId, [id]);
  if (members.length === 0) return [];
  const ids = members.map(({ child_id }) => child_id);
  const db = from.db<ConnectionTables>();
  const connections = await db
    .selectFrom('connections')
    .select(['id', 'title', 'status'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
  const byId = new Map(connections.map((connection) => [connection.id, connection]));
  const notes: string[] = [];
  for (const row of members) {
    const member = byId.get(row.child_id);
    if (member === undefined) continue;
    if (member.status === 'inactive') notes.push(`"${member.title}" is inactive and left out.`);
    const { tools, prompts } = selectionOf(row);
    const overrides = Object.entries(overridesOf(row));
    if (tools === null && prompts === null && overrides.length === 0) continue;
    const known = await catalogsOf(from, row.child_id);
    const missing = (kind: 'tools' | 'prompts', names: readonly string[] | null) => {
      const there = known[kind] && new Set(known[kind].map(({ name }) => name));
      for (const name of names ?? [])
        if (there?.has(name) === false)
          notes.push(`"${member.title}" has no ${kind.slice(0, -1)} "${name}" now.`);
    };
    missing('tools', tools);
    missing('prompts', prompts);
    for (const [name, override] of overrides) {
      const tool = known.tools?.find((candidate) => candidate.name === name);
      if (known.tools === undefined) continue;
      const misfit = tool === undefined ? 'it is not there now' : await misfitOf(override, tool.inputSchema);
      if (misfit !== undefined)
        notes.push(`The override of "${name}" of "${member.title}" is not applied: ${misfit}.`);
    }
    if (notes.length > MOST_NOTES) break;
  }
  return notes.slice(0, MOST_NOTES);
}

async function catalogsOf(from: Queryable, connectionId: string): Promise<Known> {
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select(['kind', 'body'])
    .where('connection_id', '=', connectionId)
    .where('kind', 'in', ['tools', 'prompts'])
    .execute();
  return Object.fromEntries(rows.map(({ kind, body }) => [kind, fromJson<UpstreamTool[]>(body)]));
}
