/** All connections of an organization at a glance: how each does and why, how much it has, and what that costs a model. */
import { tokenCost } from '@parley/kit';
import type { Caller } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import { sql } from 'kysely';
import { visibleText } from '../definitions/hidden-text.ts';
import { pinningOf, servedState } from '../definitions/modes.ts';
import type { PinningMode } from '../definitions/modes.ts';
import type { ConnectionRow, ConnectionTables, ToolPinRow } from '../schema.ts';
import { selfConnectionId } from '../self-connection.ts';
import type { ServedStatus } from '../served.ts';
import { gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import type { UpstreamStatus, UpstreamTool } from '../upstream.ts';
import { servedStatus } from './status.ts';

/** One connection at a glance. */
export interface ConnectionGlance {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly icon: string | null;
  readonly type: ConnectionRow['connection_type'];
  /** Its address with masks, or the program without its arguments; null: it has neither. */
  readonly place: string | null;
  /** True for the connection to this server itself. */
  readonly isSelf: boolean;
  readonly status: ServedStatus;
  /** Why it is not well: in words, since when, and the kind of failure. */
  readonly reason: string | null;
  readonly since: string | null;
  readonly failedWith: UpstreamStatus | null;
  /** When it was read last; null: never. */
  readonly fetchedAt: string | null;
  readonly pinning: PinningMode;
  readonly tools: number;
  /** Tools that wait for approval. */
  readonly held: number;
  /** Tokens that the definitions of its tools take. */
  readonly tokens: number;
  /** Virtual MCPs that it is a member of. */
  readonly usedBy: readonly { readonly id: string; readonly title: string }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

const LONGEST_PLACE = 300;

/** Which connections are wanted; absent means any. */
export interface GlanceFilter {
  /** Words that all stand in the title, the address, the last error or the id. */
  readonly text?: string | undefined;
  readonly type?: ConnectionRow['connection_type'] | undefined;
  readonly status?: ServedStatus | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** The last connection of a page. */
export interface GlancePosition {
  readonly title: string;
  readonly id: string;
}

/** A glance with its place in the list, which its shown title is not. */
export interface PlacedGlance {
  readonly glance: ConnectionGlance;
  readonly position: GlancePosition;
}

/** Those that fit in the order of their titles, a part of them at a time. */
export interface ConnectionGlances {
  parts(
    caller: Pick<Caller, 'organizationId'>,
    filter: GlanceFilter & { readonly after?: GlancePosition | undefined },
  ): AsyncIterable<readonly PlacedGlance[]>;
  /** How many there are, whatever they are called. */
  count(caller: Pick<Caller, 'organizationId'>): Promise<number>;
}

const PART = 500;

/** Reads each part in a few queries, so that a page costs what it shows. */
export function createConnectionGlances(from: Queryable): ConnectionGlances {
  const costs = new CatalogCosts(from);
  return {
    async *parts({ organizationId }, { after, ...filter }) {
      let start = after;
      do {
        const rows = await rowsOf(from, organizationId, { ...filter, after: start });
        const fitting = rows.filter((row) => fits(row, filter));
        yield await glancesOf(from, fitting, { organizationId, costs });
        const last = rows.length === PART ? rows.at(-1) : undefined;
        start = last && { title: last.title, id: last.id };
      } while (start !== undefined);
    },
    async count({ organizationId }) {
      const { total } = await ownRows(from, organizationId)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return total;
    },
  };
}

type Row = Awaited<ReturnType<typeof rowsOf>>[number];

const MOST_WORDS = 10;

function wordsOf(text = ''): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
}

/** By what is shown of it: what stands beside it in the row is not for everybody. */
function fits(row: Row, { text, status }: GlanceFilter): boolean {
  if (status !== undefined && statusOf(row) !== status) return false;
  const words = wordsOf(text);
  if (words.length === 0) return true;
  const { last_error } = fromJson<Catalog>(row.catalog);
  const shown = `${visibleText(row.title)} ${placeOf(row) ?? ''} ${last_error ?? ''} ${row.id}`.toLowerCase();
  return words.every((word) => shown.includes(word));
}

function statusOf(row: Row): ServedStatus {
  const { fetched_at, stale } = fromJson<Catalog>(row.catalog);
  const { status, failed_with: failedWith } = row;
  return servedStatus({ status, failedWith, isKnown: isKnown(row, fetched_at), isStale: stale });
}

async function glancesOf(
  from: Queryable,
  rows: readonly Row[],
  { organizationId, costs: catalogs }: { readonly organizationId: string; readonly costs: CatalogCosts },
): Promise<PlacedGlance[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const users = await usersIn(from, organizationId, ids);
  const costs = await catalogs.of(organizationId, ids);
  const pins = Map.groupBy(
    await waitingPins(from, organizationId, ids),
    ({ connection_id }) => connection_id,
  );
  return rows.map((row) => {
    const { fetched_at, last_error } = fromJson<Catalog>(row.catalog);
    const { failed_with: failedWith } = row;
    const { tools = 0, tokens = 0, names } = costs.get(row.id) ?? {};
    const mode = pinningOf(gatewaySettingsOf(row));
    const held = (pins.get(row.id) ?? []).filter(
      (pin) => names?.has(pin.tool_name) === true && servedState(pin, mode).state === 'held',
    );
    const failing = row.failing_since ?? null;
    const glance: ConnectionGlance = {
      id: row.id,
      title: visibleText(row.title),
      description: row.description,
      icon: row.icon,
      type: row.connection_type,
      place: placeOf(row),
      isSelf: row.id === selfConnectionId(organizationId),
      status: statusOf(row),
      reason: last_error,
      since: failing === null ? null : new Date(failing).toISOString(),
      failedWith,
      fetchedAt: fetched_at,
      pinning: mode,
      tools,
      held: held.length,
      tokens,
      usedBy: users.get(row.id) ?? [],
      createdAt: new Date(row.created_at).toISOString(),
      updatedAt: new Date(row.updated_at).toISOString(),
    };
    return { glance, position: { title: row.title, id: row.id } };
  });
}

interface Catalog {
  readonly fetched_at: string | null;
  readonly stale: boolean;
  readonly last_error: string | null;
}

/** What this server serves itself is never read. */
function isKnown({ connection_type }: ConnectionRow, fetchedAt: string | null): boolean {
  return connection_type === 'VIRTUAL' || fetchedAt !== null;
}

function rowsOf(
  from: Queryable,
  organizationId: string,
  { type, ids, after }: Parameters<ConnectionGlances['parts']>[1],
) {
  return ownRows(from, organizationId)
    .leftJoin('connection_refreshes as refresh', 'refresh.connection_id', 'item.id')
    .selectAll('item')
    .select(['refresh.failed_with', 'refresh.failing_since'])
    .$if(type !== undefined, (some) => some.where('item.connection_type', '=', type ?? 'HTTP'))
    .$if(ids !== undefined, (some) => some.where('item.id', 'in', ['', ...(ids ?? [])]))
    .$if(after !== undefined, (later) =>
      later.where(sql<boolean>`(item.title, item.id) > (${after?.title}, ${after?.id})`),
    )
    .orderBy('item.title')
    .orderBy('item.id')
    .limit(PART)
    .execute();
}

function ownRows(from: Queryable, organizationId: string) {
  return from
    .db<ConnectionTables>()
    .selectFrom('connections as item')
    .where('item.organization_id', '=', organizationId)
    .where('item.is_virtual_mcp', '=', 0);
}

function placeOf({ connection_url, connection_headers }: ConnectionRow): string | null {
  const command = connection_headers && fromJson<{ command?: string }>(connection_headers).command;
  const place = connection_url ?? command ?? null;
  return place === null ? null : visibleText(place).slice(0, LONGEST_PLACE);
}

async function usersIn(from: Queryable, organizationId: string, ids: readonly string[]) {
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('connection_aggregations as member')
    .innerJoin('connections as parent', 'parent.id', 'member.parent_id')
    .select(['member.child_id', 'parent.id', 'parent.title'])
    .distinct()
    .where('member.organization_id', '=', organizationId)
    .where('member.child_id', 'in', [...ids])
    .orderBy('parent.title')
    .execute();
  const users = Map.groupBy(rows, ({ child_id }) => child_id);
  return new Map(
    [...users].map(([id, parents]) => [
      id,
      parents.map((parent) => ({ id: parent.id, title: parent.title })),
    ]),
  );
}

interface Cost {
  readonly tools: number;
  readonly tokens: number;
  readonly names: ReadonlySet<string>;
}

const MOST_KNOWN = 500;
const BATCH = 50;

/** Catalogs are large and rarely change, and whoever looks at connections looks again. */
class CatalogCosts {
  readonly #from: Queryable;
  /** By the hash of the catalog, the longest known first. */
  readonly #known = new Map<string, Cost>();

  constructor(from: Queryable) {
    this.#from = from;
  }

  async of(organizationId: string, ids: readonly string[]): Promise<Map<string, Cost>> {
    const catalogs = this.#from
      .db<ConnectionTables>()
      .selectFrom('connection_catalogs')
      .where('organization_id', '=', organizationId)
      .where('connection_id', 'in', [...ids])
      .where('kind', '=', 'tools');
    const heads = await catalogs.select(['connection_id', 'hash']).execute();
    const found = new Map<string, Cost>();
    for (const { connection_id, hash } of heads) {
      const cost = this.#known.get(hash);
      if (cost !== undefined) found.set(connection_id, cost);
    }
    const missing = heads.map((head) => head.connection_id).filter((id) => !found.has(id));
    for (let at = 0; at < missing.length; at += BATCH) {
      const bodies = await catalogs
        .select(['connection_id', 'hash', 'body'])
        .where('connection_id', 'in', missing.slice(at, at + BATCH))
        .execute();
      for (const { connection_id, hash, body } of bodies) {
        const cost = costOf(fromJson<UpstreamTool[]>(body));
        found.set(connection_id, cost);
        this.#keep(hash, cost);
      }
    }
    return found;
  }

  #keep(hash: string, cost: Cost): void {
    this.#known.set(hash, cost);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

function costOf(tools: readonly UpstreamTool[]): Cost {
  return {
    tools: tools.length,
    tokens: tools.reduce((sum, tool) => sum + tokenCost(tool), 0),
    names: new Set(tools.map(({ name }) => name)),
  };
}

type Pin = Pick<ToolPinRow, 'connection_id' | 'tool_name' | 'state' | 'reason'>;

function waitingPins(from: Queryable, organizationId: string, ids: readonly string[]): Promise<Pin[]> {
  return from
    .db<ConnectionTables>()
    .selectFrom('tool_pins')
    .select(['connection_id', 'tool_name', 'state', 'reason'])
    .where('organization_id', '=', organizationId)
    .where('connection_id', 'in', [...ids])
    .where('state', 'in', ['new', 'changed'])
    .execute();
}
