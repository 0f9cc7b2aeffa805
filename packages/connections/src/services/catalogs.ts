/** What is known of an upstream: its last complete catalog, replaced only by another complete one. */
import type { Events } from '@parley/events';
import { MANAGEMENT_EVENTS } from '@parley/events';
import type { Skill } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toQueryJson } from '@parley/store';
import { digest, pinnedSkill } from '../definitions/hash.ts';
import { visibleText } from '../definitions/hidden-text.ts';
import { pinningOf } from '../definitions/modes.ts';
import type { Drift } from '../definitions/pins.ts';
import { keepPins } from '../definitions/pins.ts';
import { EMPTY_MS, nextDue } from '../refresh/due.ts';
import { endLease, heldRow } from '../refresh/lease.ts';
import type {
  CatalogKind,
  ConnectionCatalogRow,
  ConnectionRefreshRow,
  ConnectionRow,
  ConnectionTables,
} from '../schema.ts';
import type { Shown } from '../secrets/without-secrets.ts';
import { placeOf, SERVER } from '../secrets/without-secrets.ts';
import { NO_CATALOG } from '../self-connection.ts';
import { gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import type { Discovery } from '../upstream.ts';
import { announceCatalog } from './base.ts';
import { wellKnownBindingsOf } from './bindings.ts';

/** Which state of a connection was asked. */
export interface Asked {
  readonly organizationId: string;
  readonly id: string;
  readonly revision: number;
  /** The lease under which it was asked. */
  readonly lease: string;
  /** Who is shown the catalog, and agrees with it when it is the first; null: nobody. */
  readonly by: string | null;
  /** True when it was asked with credentials of somebody's own: that they are refused says nothing about others'. */
  readonly isPersonal?: boolean;
  readonly now: number;
  /** From 0 to 1, so that not all are asked again at once. */
  readonly random: number;
}

type Publish = Pick<Events, 'publish'>;
type Found = Extract<Discovery, { ok: true }>;
type Row = Pick<ConnectionRow, 'status' | 'revision' | 'title' | 'metadata' | 'catalog' | 'bindings'>;
type Known = ReadonlyMap<CatalogKind, Pick<ConnectionCatalogRow, 'kind' | 'hash' | 'fetched_at'>>;

/** Keeps what asking gave. A connection that was changed, deleted or asked by somebody else meanwhile is left alone. */
export async function keepDiscovery(
  tx: StoreTransaction,
  events: Publish,
  asked: Asked,
  found: Discovery,
): Promise<void> {
  const row = await lockAsked(tx, asked);
  const held = row && (await heldRow(tx, asked.id, asked.lease));
  if (row === undefined || held === undefined) return;
  const known = await knownCatalogs(tx, asked.id);
  const isTheirs = !found.ok && found.status === 'auth_required' && asked.isPersonal === true;
  if (isTheirs && known.has('tools')) return letBe(tx, asked, held);
  const kept = found.ok ? await keepFound(tx, events, { asked, row, held, known }, found) : NOTHING_KEPT;
  const failure = found.ok ? null : found;
  const lastError = failure?.message ?? (kept.isEmptied ? EMPTIED : null);
  const isRead = found.ok && !kept.isEmptied;
  const fetchedAt = isRead ? asked.now : known.get('tools')?.fetched_at;
  const failures = failure === null ? 0 : held.failures + 1;
  const catalog = {
    ...NO_CATALOG,
    ...(fetchedAt !== undefined && { fetched_at: new Date(fetchedAt).toISOString() }),
    stale: lastError !== null && fetchedAt !== undefined,
    last_error: lastError,
  };
  const isTold = await setState(tx, asked, row, {
    catalog,
    status: fetchedAt === undefined ? 'error' : 'active',
    ...(kept.bindings !== undefined && { bindings: kept.bindings }),
  });
  if (isTold) await markErrors(tx, asked.id, lastError);
  await endLease(tx, held, {
    failures,
    failed_with: failure?.status ?? null,
    failing_since: lastError === null ? null : (held.failing_since ?? asked.now),
    empty_since: kept.isEmptied
      ? (held.empty_since ?? asked.now)
      : failure === null
        ? null
        : held.empty_since,
    pins_revision: held.pins_revision + (kept.arePinsNew ? 1 : 0),
    due_at: nextDue({
      now: asked.now,
      random: asked.random,
      isWanted: held.wanted > held.started,
      isEmptied: kept.isEmptied,
      failures,
      failedWith: failure?.status ?? null,
      ttlMs: found.ok ? (found.ttlMs ?? null) : null,
    }),
  });
  const isNew = kept.isNew || kept.arePinsNew || isTold || held.failed_with !== (failure?.status ?? null);
  if (isNew) await announceCatalog(tx, asked.organizationId);
}

/** Ends an attempt in which nobody could be asked: what is known stays as it is. */
export async function keepAsItIs(tx: StoreTransaction, asked: Asked): Promise<void> {
  const held = await heldRow(tx, asked.id, asked.lease);
  if (held !== undefined) await letBe(tx, asked, held);
}

async function letBe(tx: StoreTransaction, { now, random }: Asked, held: ConnectionRefreshRow) {
  const usual = { failures: 0, failedWith: null, ttlMs: null, isEmptied: false };
  const isWanted = held.wanted > held.started;
  await endLease(tx, held, { due_at: nextDue({ now, random, ...usual, isWanted }) });
}

const EMPTIED = 'The server lists no tools any more. It is asked again before that is believed.';

interface Kept {
  /** True when a list is another than before. */
  readonly isNew: boolean;
  readonly arePinsNew: boolean;
  /** True when all tools are gone, which was seen for the first time or too short a time ago. */
  readonly isEmptied: boolean;
  readonly bindings?: string;
}

const NOTHING_KEPT: Kept = { isNew: false, arePinsNew: false, isEmptied: false };

interface Place {
  readonly asked: Asked;
  readonly row: Row;
  readonly held: ConnectionRefreshRow;
  readonly known: Known;
}

async function keepFound(
  tx: StoreTransaction,
  events: Publish,
  { asked, row, held, known }: Place,
  found: Found,
): Promise<Kept> {
  const { tools, documents, requests, server, dropped = [] } = found;
  const isEmptied =
    tools.length === 0 &&
    known.has('tools') &&
    known.get('tools')?.hash !== EMPTY_HASH &&
    (held.empty_since === null || asked.now - held.empty_since < EMPTY_MS);
  const lists: [CatalogKind, unknown][] = [
    ['resources', found.resources],
    ['templates', found.templates],
    ['prompts', found.prompts],
    ['skills', found.skills],
    ['server', server && { ...server, dropped }],
  ];
  const changed = new Set<CatalogKind>();
  for (const [kind, list] of lists)
    if (list !== undefined && (await keepList(tx, asked, known, { kind, list }))) changed.add(kind);
  const isNew = changed.size > 0;
  if (isEmptied) return { isNew, isEmptied, arePinsNew: false };
  const areToolsNew = await keepList(tx, asked, known, { kind: 'tools', list: tools });
  // Equal tools have equal pins, and to compare thousands of them takes its time; only a UI or a request can change behind its tool.
  const isBehind = documents !== undefined || requests !== undefined;
  if (!areToolsNew && !changed.has('skills') && !isBehind) return { isNew, isEmptied, arePinsNew: false };
  const agreedBy = known.has('tools') ? null : asked.by;
  const skills = found.skills ?? (await knownSkills(tx, asked.id));
  const names = new Set(tools.map(({ name }) => name));
  // A tool with the URI of a skill as its name has it for itself; nobody can agree to the skill then.
  const pinned = [...tools, ...skills.map(pinnedSkill).filter(({ name }) => !names.has(name))];
  const { isChanged, drifts } = await keepPins(tx, { ...asked, agreedBy }, pinned, {
    documents,
    requests,
  });
  if (pinningOf(gatewaySettingsOf(row)) !== 'off') await tellDrifts(tx, events, asked, row.title, drifts);
  const bindings = toQueryJson(wellKnownBindingsOf(tools));
  return { isNew: isNew || areToolsNew, arePinsNew: isChanged, isEmptied, bindings };
}

const EMPTY_HASH = digest(toQueryJson([]));
// Whoever changes more at once has changed everything, and the definitions say what.
const MOST_TOLD = 100;

async function tellDrifts(
  tx: StoreTransaction,
  events: Publish,
  { organizationId, id }: Asked,
  title: string,
  drifts: readonly Drift[],
): Promise<void> {
  const { of } = MANAGEMENT_EVENTS['tool.definition_changed'];
  for (const { tool, hash, renamedFrom, fields } of drifts.slice(0, MOST_TOLD)) {
    const names = { tool: visibleText(tool), renamed_from: renamedFrom && visibleText(renamedFrom) };
    const data = { connection_id: id, title, ...names, hash, fields: [...fields] };
    await events.publish(tx, of({ organizationId, subject: id, data }));
  }
}

/** Keeps one list; true when it is another than before. An equal one is not written again: it may be large. */
async function keepList(
  tx: StoreTransaction,
  { id, organizationId, now }: Asked,
  known: Known,
  { kind, list }: { readonly kind: CatalogKind; readonly list: unknown },
): Promise<boolean> {
  const db = tx.db<ConnectionTables>();
  const body = toQueryJson(list);
  const hash = digest(body);
  if (known.get(kind)?.hash === hash) {
    await db
      .updateTable('connection_catalogs')
      .set({ fetched_at: now })
      .where('connection_id', '=', id)
      .where('kind', '=', kind)
      .execute();
    return false;
  }
  const changing = { body, hash, fetched_at: now, last_error: null };
  await db
    .insertInto('connection_catalogs')
    .values({ connection_id: id, organization_id: organizationId, kind, ...changing })
    .onConflict((conflict) => conflict.columns(['connection_id', 'kind']).doUpdateSet(changing))
    .execute();
  return true;
}

async function markErrors(tx: StoreTransaction, connectionId: string, last_error: string | null) {
  await tx
    .db<ConnectionTables>()
    .updateTable('connection_catalogs')
    .set({ last_error })
    .where('connection_id', '=', connectionId)
    .execute();
}

async function lockAsked(
  tx: StoreTransaction,
  { organizationId, id, revision }: Asked,
): Promise<Row | undefined> {
  const query = tx
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select(['status', 'revision', 'title', 'metadata', 'catalog', 'bindings'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id);
  const row = await tx.locked(query).executeTakeFirst();
  return row?.revision === revision ? row : undefined;
}

/** The skills of before, where nobody asked for them. */
async function knownSkills(from: Queryable, connectionId: string): Promise<Skill[]> {
  const row = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select('body')
    .where('connection_id', '=', connectionId)
    .where('kind', '=', 'skills')
    .executeTakeFirst();
  return row === undefined ? [] : fromJson<Skill[]>(row.body);
}

/** True when the tools of a connection were read at least once. */
export async function isRead(from: Queryable, connectionId: string): Promise<boolean> {
  return (await knownCatalogs(from, connectionId)).has('tools');
}

/** What everybody is shown of a connection, word for word. */
export async function shownDefinitions(from: Queryable, connectionId: string): Promise<Shown> {
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select(['kind', 'body'])
    .where('connection_id', '=', connectionId)
    .execute();
  return new Map(
    rows.flatMap(({ kind, body }): [string, unknown][] => {
      if (kind === 'era') return [];
      if (kind !== 'server') return fromJson<object[]>(body).map((item) => [placeOf(kind, item), item]);
      const { dropped: _dropped, ...server } = fromJson<{ dropped?: unknown }>(body);
      return [[SERVER, server]];
    }),
  );
}

async function knownCatalogs(from: Queryable, connectionId: string): Promise<Known> {
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select(['kind', 'hash', 'fetched_at'])
    .where('connection_id', '=', connectionId)
    .execute();
  return new Map(rows.map((row) => [row.kind, row]));
}

/** Writes what an entity says of its catalog; true when that is news, apart from the time. */
async function setState(
  tx: StoreTransaction,
  { organizationId, id }: Asked,
  before: Row,
  after: {
    readonly catalog: { readonly stale: boolean; readonly last_error: string | null };
    readonly status: ConnectionRow['status'];
    readonly bindings?: string;
  },
): Promise<boolean> {
  const { bindings = before.bindings } = after;
  // What a person switched off stays off.
  const status = before.status === 'inactive' ? before.status : after.status;
  await tx
    .db<ConnectionTables>()
    .updateTable('connections')
    .set({ catalog: toQueryJson(after.catalog), status, bindings })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  const { stale, last_error } = fromJson<typeof after.catalog>(before.catalog);
  return (
    status !== before.status ||
    bindings !== before.bindings ||
    stale !== after.catalog.stale ||
    last_error !== after.catalog.last_error
  );
}
