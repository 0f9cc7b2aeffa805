/** The connections of an organization as the gateway serves them, read again only where something is different. */
import type { Skill } from '@parley/kit';
import type { Queryable } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import { definitionHash, digest, pinnedSkill } from '../definitions/hash.ts';
import { pinningOf, servedState } from '../definitions/modes.ts';
import type {
  CatalogKind,
  ConnectionCatalogRow,
  ConnectionRefreshRow,
  ConnectionRow,
  ConnectionTables,
  ToolPinRow,
} from '../schema.ts';
import type { ServedConnection, ServedSkill, ServedTool } from '../served.ts';
import { gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import type { Definition, Dropped, ServerSeen, UpstreamTool } from '../upstream.ts';
import { foundEra } from './known-era.ts';
import { servedStatus } from './status.ts';

/**
 * All connections of an organization that lead to a server elsewhere, also those that are switched off. What is in
 * `before` and has not changed is returned as it is.
 */
export async function servedConnections(
  from: Queryable,
  organizationId: string,
  before: readonly ServedConnection[] = [],
): Promise<ServedConnection[]> {
  const known = new Map(before.map((connection) => [connection.id, connection]));
  const heads = await headsOf(from, organizationId);
  const hashes = Map.groupBy(await hashesOf(from, organizationId), ({ connection_id }) => connection_id);
  const versioned = heads.map((head) => ({ head, version: versionOf(head, hashes.get(head.id) ?? []) }));
  const changed = versioned.filter(({ head, version }) => known.get(head.id)?.version !== version);
  const ids = changed.map(({ head }) => head.id);
  const bodies = Map.groupBy(await bodiesOf(from, ids), ({ connection_id }) => connection_id);
  const pins = Map.groupBy(await pinsOf(from, ids), ({ connection_id }) => connection_id);
  return versioned.map(({ head, version }) => {
    const same = known.get(head.id);
    if (same?.version === version) return same;
    return toServed(head, { version, bodies: bodies.get(head.id) ?? [], pins: pins.get(head.id) ?? [] });
  });
}

type Head = Pick<
  ConnectionRow,
  'id' | 'organization_id' | 'title' | 'connection_type' | 'revision' | 'status' | 'metadata' | 'catalog'
> & { [Key in 'pins_revision' | 'failed_with' | 'failing_since']: ConnectionRefreshRow[Key] | null };

function headsOf(from: Queryable, organizationId: string): Promise<Head[]> {
  return from
    .db<ConnectionTables>()
    .selectFrom('connections as item')
    .leftJoin('connection_refreshes as refresh', 'refresh.connection_id', 'item.id')
    .select(['item.id', 'item.organization_id', 'item.title', 'item.connection_type', 'item.revision'])
    .select(['item.status', 'item.metadata', 'item.catalog'])
    .select(['refresh.pins_revision', 'refresh.failed_with', 'refresh.failing_since'])
    .where('item.organization_id', '=', organizationId)
    .where('item.connection_type', 'not in', ['VIRTUAL', 'Websocket'])
    .orderBy('item.created_at')
    .orderBy('item.id')
    .execute();
}

type Hash = Pick<ConnectionCatalogRow, 'connection_id' | 'kind' | 'hash'>;

function hashesOf(from: Queryable, organizationId: string): Promise<Hash[]> {
  return from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select(['connection_id', 'kind', 'hash'])
    .where('organization_id', '=', organizationId)
    .orderBy('kind')
    .execute();
}

type Body = Pick<ConnectionCatalogRow, 'connection_id' | 'kind' | 'body' | 'fetched_at'>;

async function bodiesOf(from: Queryable, ids: readonly string[]): Promise<Body[]> {
  if (ids.length === 0) return [];
  return from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select(['connection_id', 'kind', 'body', 'fetched_at'])
    .where('connection_id', 'in', ids)
    .execute();
}

type Pin = Pick<ToolPinRow, 'connection_id' | 'tool_name' | 'definition_hash' | 'state' | 'reason'>;

async function pinsOf(from: Queryable, ids: readonly string[]): Promise<Pin[]> {
  if (ids.length === 0) return [];
  return from
    .db<ConnectionTables>()
    .selectFrom('tool_pins')
    .select(['connection_id', 'tool_name', 'definition_hash', 'state', 'reason'])
    .where('connection_id', 'in', ids)
    .execute();
}

interface Catalog {
  readonly stale: boolean;
  readonly last_error: string | null;
}

/** Equal ones mean that everything is equal: when a list was read, and how often it failed, is no difference. */
function versionOf(head: Head, hashes: readonly Hash[]): string {
  const { catalog, ...rest } = head;
  const { stale, last_error } = fromJson<Catalog>(catalog);
  return digest(toJson([rest, stale, last_error, hashes.map(({ kind, hash }) => [kind, hash])])).slice(0, 32);
}

function toServed(
  head: Head,
  { version, bodies, pins }: { version: string; bodies: readonly Body[]; pins: readonly Pin[] },
): ServedConnection {
  const { stale, last_error } = fromJson<Catalog>(head.catalog);
  const settings = gatewaySettingsOf(head);
  const texts = new Map(bodies.map(({ kind, body }) => [kind, body]));
  const list = (kind: CatalogKind) => fromJson<Definition[]>(texts.get(kind) ?? '[]');
  type Seen = ServerSeen & { readonly dropped?: readonly Dropped[] };
  const server = fromJson<Seen | null>(texts.get('server') ?? 'null');
  const found = bodies.find(({ kind }) => kind === 'era');
  const isKnown = texts.has('tools');
  const failedWith = head.failed_with;
  return {
    id: head.id,
    organizationId: head.organization_id,
    title: head.title,
    type: head.connection_type,
    revision: head.revision,
    status: servedStatus({ status: head.status, isKnown, isStale: stale, failedWith }),
    settings,
    era: server?.era ?? null,
    eraFound: found && foundEra(found),
    instructions: server?.instructions ?? null,
    capabilities: server?.capabilities ?? {},
    tools: toolsOf(fromJson<UpstreamTool[]>(texts.get('tools') ?? '[]'), pins, pinningOf(settings)),
    resources: list('resources'),
    templates: list('templates'),
    prompts: list('prompts'),
    skills: skillsOf(fromJson<Skill[]>(texts.get('skills') ?? '[]'), pins, pinningOf(settings)),
    isKnown,
    degraded:
      last_error === null
        ? null
        : { reason: last_error, since: new Date(head.failing_since ?? 0).toISOString() },
    failedWith,
    dropped: server?.dropped ?? [],
    version,
  };
}

function toolsOf(
  tools: readonly UpstreamTool[],
  pins: readonly Pin[],
  mode: ReturnType<typeof pinningOf>,
): ServedTool[] {
  const byName = new Map(pins.map((pin) => [pin.tool_name, pin]));
  return tools.map((definition) => {
    const pin = byName.get(definition.name);
    // Without a pin nobody agreed to it.
    const { definition_hash: hash = '', state = 'new', reason = 'new' } = pin ?? {};
    return { definition, hash, ...servedState({ state, reason }, mode) };
  });
}

function skillsOf(
  skills: readonly Skill[],
  pins: readonly Pin[],
  mode: ReturnType<typeof pinningOf>,
): ServedSkill[] {
  const byName = new Map(pins.map((pin) => [pin.tool_name, pin]));
  return skills.map((definition) => {
    const pin = byName.get(definition.uri);
    // Of another thing with this name, or of none.
    const isOwn = pin?.definition_hash === definitionHash(pinnedSkill(definition));
    const { state, reason } = isOwn ? pin : { state: 'new' as const, reason: 'new' as const };
    return { definition, hash: isOwn ? pin.definition_hash : '', ...servedState({ state, reason }, mode) };
  });
}
