/** What is known of an upstream: its last complete catalog, and the definitions that somebody agreed to. */
import { createHash } from 'node:crypto';
import type { Queryable, StoreTransaction } from '@parley/store';
import { toJson, toQueryJson } from '@parley/store';
import type { ConnectionRow, ConnectionTables, ToolPinRow } from '../schema.ts';
import { NO_CATALOG } from '../self-connection.ts';
import type { UpstreamFailure, UpstreamTool } from '../upstream.ts';
import { wellKnownBindingsOf } from './bindings.ts';
import { announceCatalog } from './base.ts';

/** What asking an upstream gave. */
export type Discovery = { readonly ok: true; readonly tools: readonly UpstreamTool[] } | UpstreamFailure;

/** Which state of a connection was asked. */
export interface Asked {
  readonly organizationId: string;
  readonly id: string;
  readonly revision: number;
  /** Who is shown the catalog, and agrees with it when it is the first. */
  readonly by: string;
  readonly now: number;
}

/** Keeps what asking gave. A connection that was changed or deleted meanwhile is left alone. */
export async function keepDiscovery(tx: StoreTransaction, asked: Asked, found: Discovery): Promise<void> {
  const row = await lockAsked(tx, asked);
  if (row === undefined) return;
  const known = await knownCatalog(tx, asked.id);
  if (found.ok) {
    await keepTools(tx, asked, found.tools, known === undefined);
    await setState(tx, asked, row, {
      bindings: toQueryJson(wellKnownBindingsOf(found.tools)),
      catalog: { fetched_at: new Date(asked.now).toISOString(), stale: false, last_error: null },
      status: 'active',
    });
    return;
  }
  const catalog =
    known === undefined
      ? { ...NO_CATALOG, last_error: found.message }
      : { fetched_at: new Date(known.fetched_at).toISOString(), stale: true, last_error: found.message };
  await setState(tx, asked, row, { catalog, status: known === undefined ? 'error' : 'active' });
}

async function lockAsked(tx: StoreTransaction, { organizationId, id, revision }: Asked) {
  const query = tx
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select(['status', 'revision'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id);
  const row = await tx.locked(query).executeTakeFirst();
  return row?.revision === revision ? row : undefined;
}

function knownCatalog(from: Queryable, connectionId: string) {
  return from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select('fetched_at')
    .where('connection_id', '=', connectionId)
    .where('kind', '=', 'tools')
    .executeTakeFirst();
}

async function setState(
  tx: StoreTransaction,
  { organizationId, id }: Asked,
  { status: before }: Pick<ConnectionRow, 'status'>,
  { catalog, status, bindings }: { catalog: object; status: ConnectionRow['status']; bindings?: string },
): Promise<void> {
  await tx
    .db<ConnectionTables>()
    .updateTable('connections')
    .set({
      catalog: toQueryJson(catalog),
      // What a person switched off stays off.
      status: before === 'inactive' ? before : status,
      ...(bindings !== undefined && { bindings }),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  await announceCatalog(tx, organizationId);
}

async function keepTools(
  tx: StoreTransaction,
  asked: Asked,
  tools: readonly UpstreamTool[],
  isFirst: boolean,
): Promise<void> {
  const body = toQueryJson(tools);
  const changing = { body, hash: digest(body), fetched_at: asked.now, last_error: null };
  await tx
    .db<ConnectionTables>()
    .insertInto('connection_catalogs')
    .values({ connection_id: asked.id, organization_id: asked.organizationId, kind: 'tools', ...changing })
    .onConflict((conflict) => conflict.columns(['connection_id', 'kind']).doUpdateSet(changing))
    .execute();
  await keepPins(tx, asked, tools, isFirst);
}

const BATCH = 100;

/** The first catalog is agreed to by whoever was shown it; what comes after waits, and what went away says so. */
async function keepPins(
  tx: StoreTransaction,
  { organizationId, id, by, now }: Asked,
  tools: readonly UpstreamTool[],
  isFirst: boolean,
): Promise<void> {
  const db = tx.db<ConnectionTables>();
  const before = new Map(
    (await db.selectFrom('tool_pins').selectAll().where('connection_id', '=', id).execute()).map((pin) => [
      pin.tool_name,
      pin,
    ]),
  );
  const pins = tools.map((tool): ToolPinRow => {
    const definition = toQueryJson(tool);
    const definition_hash = definitionHash(tool);
    const known = before.get(tool.name);
    const agreed = { state: 'approved', approved_by: by, approved_at: now } as const;
    const row = { connection_id: id, organization_id: organizationId, tool_name: tool.name, definition };
    if (isFirst) return { ...row, definition_hash, ...agreed };
    if (known === undefined)
      return { ...row, definition_hash, state: 'new', approved_by: null, approved_at: null };
    // The hash stays that of the definition that was agreed to.
    const isSame = known.definition_hash === definition_hash && known.approved_at !== null;
    const { approved_by, approved_at } = known;
    if (approved_at === null) return { ...row, definition_hash, state: 'new', approved_by, approved_at };
    const state = isSame ? 'approved' : 'changed';
    return { ...row, definition_hash: known.definition_hash, state, approved_by, approved_at };
  });
  const names = new Set(tools.map(({ name }) => name));
  const gone = [...before.values()]
    .filter((pin) => !names.has(pin.tool_name))
    .map((pin): ToolPinRow => ({ ...pin, state: 'removed' }));
  const changed = [...pins, ...gone].filter((pin) => !isEqual(pin, before.get(pin.tool_name)));
  for (let from = 0; from < changed.length; from += BATCH) {
    await db
      .insertInto('tool_pins')
      .values(changed.slice(from, from + BATCH))
      .onConflict((conflict) =>
        conflict.columns(['connection_id', 'tool_name']).doUpdateSet((row) => ({
          definition_hash: row.ref('excluded.definition_hash'),
          definition: row.ref('excluded.definition'),
          state: row.ref('excluded.state'),
        })),
      )
      .execute();
  }
}

function isEqual(left: ToolPinRow, right: ToolPinRow | undefined): boolean {
  return (
    right !== undefined &&
    left.state === right.state &&
    left.definition === right.definition &&
    left.definition_hash === right.definition_hash
  );
}

/** The hash of what a person agrees to: name, words, schemas and hints, whatever the order of their keys. */
export function definitionHash(tool: UpstreamTool): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return digest(toJson(sorted([name, title, description, inputSchema, outputSchema, annotations])));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
