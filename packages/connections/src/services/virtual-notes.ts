/** What whoever keeps a virtual MCP should know: members that are left out, names that are not there, overrides that do not fit. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';
import type { UpstreamTool } from '../upstream.ts';
import type { OwnNames } from './member-names.ts';
import { namesThere } from './member-names.ts';
import { memberRows, overridesOf, selectionOf } from './members.ts';
import { NAME_KINDS } from './naming.ts';
import { misfitOf } from './override-fit.ts';

const MOST_NOTES = 50;
const WORDS = { tools: 'tool', prompts: 'prompt', resources: 'resource' } as const;

/** The notes on a virtual MCP, in the order of its members. */
export async function notesOn(
  from: Queryable,
  organizationId: string,
  id: string,
  self?: OwnNames,
): Promise<string[]> {
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
    const selection = selectionOf(row);
    const overrides = Object.entries(overridesOf(row));
    const isWhole = NAME_KINDS.every((kind) => selection[kind] === null);
    if (isWhole && overrides.length === 0) continue;
    const known = await namesThere(from, organizationId, row.child_id, { self, above: [id] });
    for (const kind of NAME_KINDS) {
      // Of what was never read nothing can be said to be missing.
      const there = known[kind] && new Set(known[kind]);
      for (const name of selection[kind] ?? []) {
        const isPattern = kind === 'resources' && name.includes('*');
        if (!isPattern && there?.has(name) === false)
          notes.push(`"${member.title}" has no ${WORDS[kind]} "${name}" now.`);
      }
    }
    const tools = overrides.length === 0 ? [] : await toolsOf(from, row.child_id);
    for (const [name, override] of overrides) {
      if (known.tools === undefined) continue;
      const tool = tools.find((candidate) => candidate.name === name);
      const isThere = known.tools.includes(name);
      // What is virtual has its definitions where it is served, and is looked at there.
      const misfit = isThere ? tool && (await misfitOf(override, tool.inputSchema)) : 'it is not there now';
      if (misfit !== undefined)
        notes.push(`The override of "${name}" of "${member.title}" is not applied: ${misfit}.`);
    }
    if (notes.length > MOST_NOTES) break;
  }
  return notes.slice(0, MOST_NOTES);
}

async function toolsOf(from: Queryable, connectionId: string): Promise<readonly UpstreamTool[]> {
  const row = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select('body')
    .where('connection_id', '=', connectionId)
    .where('kind', '=', 'tools')
    .executeTakeFirst();
  return row === undefined ? [] : fromJson<UpstreamTool[]>(row.body);
}
