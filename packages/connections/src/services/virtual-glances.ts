/** Virtual MCPs for whoever keeps them: all of them at a glance, and of one what its members have, shown or not. */
import { tokenCost, ToolError } from '@parley/kit';
import type { Caller } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import { sql } from 'kysely';
import { visibleText } from '../definitions/hidden-text.ts';
import { pinningOf, servedState } from '../definitions/modes.ts';
import type { ConnectionRow, ConnectionTables } from '../schema.ts';
import { selfConnectionId } from '../self-connection.ts';
import type { ServedStatus } from '../served.ts';
import { gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import type { UpstreamTool } from '../upstream.ts';
import { shownCounts } from './exposed-names.ts';
import type { OwnNames } from './member-names.ts';
import { memberRows, overridesOf, selectionOf } from './members.ts';
import type { GlancePosition } from './overview.ts';
import { findRow } from './rows.ts';
import { servedStatus } from './status.ts';
import { notesOn } from './virtual-notes.ts';

/** One virtual MCP at a glance. */
export interface VirtualGlance {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly status: 'active' | 'inactive' | 'error';
  readonly members: readonly { readonly id: string; readonly title: string }[];
  /** Tools in code. */
  readonly ownTools: number;
  /** Tools that it shows, as far as its members were read. */
  readonly tools: number;
  readonly collisions: number;
  /** What is not as it was set up. */
  readonly notes: readonly string[];
  readonly updatedAt: string;
}

/** What a member has of one tool, and what becomes of it. */
export interface MemberTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly tokens: number;
  readonly isSelected: boolean;
  /** True: it waits for approval, so that nobody has it. */
  readonly isHeld: boolean;
  readonly hasOverride: boolean;
}

/** A member with all that it has. */
export interface MemberGlance {
  readonly connectionId: string;
  readonly title: string;
  readonly type: ConnectionRow['connection_type'];
  readonly isSelf: boolean;
  readonly status: ServedStatus;
  readonly reason: string | null;
  readonly alias: string;
  /** Null: it is served by this server itself, or was never read. */
  readonly tools: readonly MemberTool[] | null;
}

/** A glance with its place in the list, which its shown title is not. */
export interface PlacedVirtualGlance {
  readonly glance: VirtualGlance;
  readonly position: GlancePosition;
}

const PART = 100;

export interface GlancesAsked {
  readonly id?: string | undefined;
  readonly after?: GlancePosition | undefined;
  /** What the management tools are called; absent: nobody knows. */
  readonly self?: OwnNames | undefined;
}

/** Virtual MCPs in the order of their titles, a part of them at a time. */
export async function* virtualGlances(
  from: Queryable,
  { organizationId }: Pick<Caller, 'organizationId'>,
  { id, after, self }: GlancesAsked = {},
): AsyncIterable<readonly PlacedVirtualGlance[]> {
  let start = after;
  do {
    let query = virtualRows(from, organizationId)
      .select(['id', 'title', 'description', 'status', 'updated_at'])
      .orderBy('title')
      .orderBy('id')
      .limit(PART);
    if (id !== undefined) query = query.where('id', '=', id);
    if (start !== undefined) query = query.where(sql<boolean>`(title, id) > (${start.title}, ${start.id})`);
    const rows = await query.execute();
    yield await glancesOf(from, organizationId, rows, self);
    const last = rows.length === PART ? rows.at(-1) : undefined;
    start = last && { title: last.title, id: last.id };
  } while (start !== undefined);
}

/** How many there are, whatever they are called. */
export async function countVirtualMcps(
  from: Queryable,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<number> {
  const { total } = await virtualRows(from, organizationId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function virtualRows(from: Queryable, organizationId: string) {
  return from
    .db<ConnectionTables>()
    .selectFrom('connections')
    .where('organization_id', '=', organizationId)
    .where('is_virtual_mcp', '=', 1);
}

type VirtualRow = Pick<ConnectionRow, 'id' | 'title' | 'description' | 'status' | 'updated_at'>;

async function glancesOf(
  from: Queryable,
  organizationId: string,
  rows: readonly VirtualRow[],
  self: OwnNames | undefined,
): Promise<PlacedVirtualGlance[]> {
  if (rows.length === 0) return [];
  const members = await memberRows(
    from,
    organizationId,
    rows.map(({ id }) => id),
  );
  const titles = await titlesOf(from, organizationId, [...new Set(members.map((row) => row.child_id))]);
  const byParent = Map.groupBy(members, ({ parent_id }) => parent_id);
  const found: PlacedVirtualGlance[] = [];
  for (const { id, title, description, status, updated_at } of rows) {
    const { own, tools, collisions } = await shownCounts(from, organizationId, id, self);
    const glance: VirtualGlance = {
      id,
      title: visibleText(title),
      description,
      status,
      members: (byParent.get(id) ?? []).map((row) => {
        return { id: row.child_id, title: titles.get(row.child_id) ?? row.child_id };
      }),
      ownTools: own,
      tools,
      collisions,
      notes: await notesOn(from, organizationId, id, self),
      updatedAt: new Date(updated_at).toISOString(),
    };
    found.push({ glance, position: { title, id } });
  }
  return found;
}

// PostgreSQL takes 65,535 values in a question, and SQLite fewer.
const MOST_IDS = 500;

async function titlesOf(
  from: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const rows = await from
      .db<ConnectionTables>()
      .selectFrom('connections')
      .select(['id', 'title'])
      .where('organization_id', '=', organizationId)
      .where('id', 'in', ids.slice(at, at + MOST_IDS))
      .execute();
    for (const { id, title } of rows) titles.set(id, visibleText(title));
  }
  return titles;
}

/** The members of one virtual MCP in their order; throws `not_found` for what is none. */
export async function memberGlances(
  from: Queryable,
  { organizationId }: Pick<Caller, 'organizationId'>,
  id: string,
): Promise<MemberGlance[]> {
  const virtual = await findRow(from, organizationId, id);
  if (virtual?.is_virtual_mcp !== 1) throw new ToolError('not_found', 'Virtual MCP not found');
  const rows = await memberRows(from, organizationId, [id]);
  const glances: MemberGlance[] = [];
  for (const row of rows) {
    const member = await memberRow(from, organizationId, row.child_id);
    if (member === undefined) continue;
    const { tools: selected } = selectionOf(row);
    const chosen = selected && new Set(selected);
    const overrides = overridesOf(row);
    const held = await heldNames(from, member);
    const { fetched_at, stale, last_error } = fromJson<Catalog>(member.catalog);
    const isSelf = member.id === selfConnectionId(organizationId);
    const isOwn = isSelf || member.connection_type === 'VIRTUAL';
    const { status, failed_with: failedWith } = member;
    const known = isOwn ? null : await toolsOf(from, member.id);
    glances.push({
      connectionId: member.id,
      title: visibleText(member.title),
      type: member.connection_type,
      isSelf,
      status: servedStatus({ status, failedWith, isKnown: isOwn || fetched_at !== null, isStale: stale }),
      reason: last_error,
      alias: row.alias,
      tools:
        known?.map((tool) => ({
          name: tool.name,
          title: tool.title === undefined ? null : visibleText(tool.title),
          description: tool.description === undefined ? null : visibleText(tool.description),
          tokens: tokenCost(tool),
          isSelected: chosen === null || chosen.has(tool.name),
          isHeld: held.has(tool.name),
          hasOverride: Object.hasOwn(overrides, tool.name),
        })) ?? null,
    });
  }
  return glances;
}

interface Catalog {
  readonly fetched_at: string | null;
  readonly stale: boolean;
  readonly last_error: string | null;
}

function memberRow(from: Queryable, organizationId: string, id: string) {
  return from
    .db<ConnectionTables>()
    .selectFrom('connections as item')
    .leftJoin('connection_refreshes as refresh', 'refresh.connection_id', 'item.id')
    .selectAll('item')
    .select('refresh.failed_with')
    .where('item.organization_id', '=', organizationId)
    .where('item.id', '=', id)
    .executeTakeFirst();
}

async function toolsOf(from: Queryable, connectionId: string): Promise<UpstreamTool[] | null> {
  const row = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select('body')
    .where('connection_id', '=', connectionId)
    .where('kind', '=', 'tools')
    .executeTakeFirst();
  return row === undefined ? null : fromJson<UpstreamTool[]>(row.body);
}

async function heldNames(from: Queryable, row: ConnectionRow): Promise<Set<string>> {
  const mode = pinningOf(gatewaySettingsOf(row));
  const pins = await from
    .db<ConnectionTables>()
    .selectFrom('tool_pins')
    .select(['tool_name', 'state', 'reason'])
    .where('connection_id', '=', row.id)
    .where('state', 'in', ['new', 'changed'])
    .execute();
  const held = pins.filter((pin) => servedState(pin, mode).state === 'held');
  return new Set(held.map(({ tool_name }) => tool_name));
}
