/** The connections of an organization as a source of the engine: loaded once, replaced when they change. */
import type { ServedConnection } from '@parley/connections';
import type { Change, Installed, Source, SourcePart } from '@parley/kit';
import { DueWork } from '@parley/kit';
import type { BreakerState } from './breaker.ts';
import { whatChanged } from './seen-changes.ts';
import type { DegradedNow } from './toolset.ts';

export interface ConnectionsSourceOptions {
  /** All connections of an organization as they are stored. */
  load(organizationId: string): Promise<readonly ServedConnection[]>;
  /** Tells of organizations whose connections may be others; undefined: all of them. Returns what ends it. */
  subscribe(listener: (organizationId: string | undefined) => void): () => void;
  /** True while changes may be missed, as after a pause of the whole process. */
  isBehind?(): boolean;
  /** Makes the toolset of a connection. */
  toolsetOf(connection: ServedConnection, degraded: DegradedNow): Installed;
  /** The breaker of a connection. */
  breakerOf(connectionId: string): BreakerState;
  /** Told of each connection that is another now, or there no more. */
  onReplaced?(before: ServedConnection, after: ServedConnection | undefined): void;
  /** Told when the connections of an organization are loaded, or others. */
  onLoaded?(organizationId: string): void;
  readonly now?: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  /** How long lists wait for an upstream of which nothing was ever read. */
  readonly firstWaitMs?: number;
}

/** The source, and what else is asked about connections. */
export interface ConnectionsSource extends Source {
  /** All that is known of the connections of an organization, once it is loaded. */
  connectionsOf(organizationId: string): readonly ServedConnection[];
  find(organizationId: string, connectionId: string): ServedConnection | undefined;
  /** True for a connection that somebody switched off. */
  isInactive(organizationId: string, connectionId: string): boolean;
  /** Why lists of an organization may not be what there is. */
  degradedOf(
    organizationId: string,
  ): { connectionId: string; title: string; reason: string; since: string }[];
  /** Reads the connections of an organization again, once for all who ask at a time. */
  lookAgain(organizationId: string): Promise<void>;
  /** Tells of a document of a connection that has changed. */
  tell(change: Change): void;
  /** Reads the connections of an organization as they stand now. */
  prepare(organizationId: string): Promise<void>;
  /** Looks at a connection again whose breaker has another state. */
  breakerChanged(connectionId: string): void;
  close(): void;
}

interface Kept {
  readonly connection: ServedConnection;
  readonly degraded: DegradedNow;
  /** Undefined for what is not served as a toolset: switched off, or not of a kind that can be reached. */
  readonly installed: Installed | undefined;
}

interface Part extends SourcePart {
  readonly byId: ReadonlyMap<string, Kept>;
  /** Those of which nothing was ever read, with the time until which lists wait for them. */
  readonly unread: ReadonlyMap<string, number>;
}

const FIRST_WAIT_MS = 2_000;
/** Somebody may be at the first reading of an upstream for this long, and be done before the change is heard of here. */
const READING_MS = 60_000;
const MOST_ORGANIZATIONS = 10_000;
const REACHABLE = new Set<string>(['HTTP', 'SSE', 'STDIO', 'OPENAPI']);

export function connectionsSource(options: ConnectionsSourceOptions): ConnectionsSource {
  const { load, toolsetOf, breakerOf, now = Date.now, onFault } = options;
  const { firstWaitMs = FIRST_WAIT_MS } = options;
  const parts = new Map<string, Part>();
  const listeners = new Set<(change: Change) => void>();
  /** Woken when a part is another. */
  const waiting = new Map<string, Set<() => void>>();
  const brokenSince = new Map<string, string>();
  const loading = new Set<string>();
  const looks = new Map<string, Promise<void>>();
  /** Which load the part of an organization is of. */
  const loadedBy = new Map<string, number>();
  let loads = 0;
  /** Organizations with changes that came late and are not read yet. */
  const missed = new Map<string, number>();
  let version = 0;

  const reloads = new DueWork<string>({ work: refresh, onFault: (error) => onFault(error, 'connections') });
  const unsubscribe = options.subscribe((organizationId) => {
    const known = organizationId === undefined ? [...parts.keys(), ...loading] : [organizationId];
    // What comes late was decided long ago: nobody is served by what stood before it.
    const isLate = organizationId === undefined || options.isBehind?.() === true;
    for (const id of known) {
      // What is being loaded may have been read before the change.
      if (!parts.has(id) && !loading.has(id)) continue;
      if (isLate) missed.set(id, (missed.get(id) ?? 0) + 1);
      reloads.add(id);
    }
  });

  function tell(change: Change): void {
    for (const listener of listeners) listener(change);
  }

  function degradedNow({ id, degraded }: ServedConnection): DegradedNow {
    const state = breakerOf(id);
    if (state === 'closed') {
      brokenSince.delete(id);
      return degraded ?? undefined;
    }
    const since = brokenSince.get(id) ?? new Date(now()).toISOString();
    brokenSince.set(id, since);
    return { reason: state === 'open' ? 'breaker_open' : 'breaker_half_open', since };
  }

  function keptOf(connection: ServedConnection, before: Kept | undefined): Kept {
    const degraded = degradedNow(connection);
    const isSame =
      before?.connection.version === connection.version &&
      before.degraded?.reason === degraded?.reason &&
      before.degraded?.since === degraded?.since;
    // The same object is compiled only once, however often the others change.
    if (isSame) return before;
    const isServed = connection.status !== 'inactive' && REACHABLE.has(connection.type);
    return { connection, degraded, installed: isServed ? toolsetOf(connection, degraded) : undefined };
  }

  function put(organizationId: string, connections: readonly ServedConnection[]): void {
    const before = parts.get(organizationId);
    const kept = connections.map((connection) => keptOf(connection, before?.byId.get(connection.id)));
    const isSame =
      before !== undefined &&
      before.byId.size === kept.length &&
      kept.every((each) => before.byId.get(each.connection.id) === each);
    // A version that did not change tells nobody.
    if (isSame) return;
    version += 1;
    const part: Part = {
      version,
      toolsets: kept.flatMap(({ installed }) => (installed === undefined ? [] : [installed])),
      byId: new Map(kept.map((each) => [each.connection.id, each])),
      unread: unreadIn(kept, before),
    };
    parts.delete(organizationId);
    parts.set(organizationId, part);
    const [oldest] = parts.size > MOST_ORGANIZATIONS ? parts.keys() : [];
    if (oldest !== undefined) {
      parts.delete(oldest);
      loadedBy.delete(oldest);
    }
    for (const wake of waiting.get(organizationId) ?? []) wake();
    options.onLoaded?.(organizationId);
    if (before === undefined) return;
    for (const [id, { connection }] of before.byId) {
      const after = part.byId.get(id)?.connection;
      if (after !== connection) options.onReplaced?.(connection, after);
    }
    for (const change of whatChanged(organizationId, servedIn(before), servedIn(part))) tell(change);
  }

  function unreadIn(kept: readonly Kept[], before: Part | undefined): Map<string, number> {
    const unread = kept.filter(
      ({ connection: { isKnown, status }, installed }) =>
        installed !== undefined && !isKnown && status === 'active',
    );
    return new Map(
      unread.map(({ connection: { id } }) => [id, before?.unread.get(id) ?? now() + firstWaitMs]),
    );
  }

  async function refresh(organizationId: string): Promise<void> {
    const late = missed.get(organizationId);
    loads += 1;
    const mine = loads;
    const connections = await load(organizationId);
    // Whoever began later has read at least as much.
    if ((loadedBy.get(organizationId) ?? 0) < mine) {
      loadedBy.set(organizationId, mine);
      put(organizationId, connections);
    }
    if (late !== undefined && missed.get(organizationId) === late) missed.delete(organizationId);
  }

  async function prepare(organizationId: string): Promise<void> {
    loading.add(organizationId);
    try {
      await refresh(organizationId);
    } finally {
      loading.delete(organizationId);
    }
  }

  /** Resolves when nothing is unread any more, or its time is over. */
  async function untilRead(organizationId: string, untilMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      if ((parts.get(organizationId)?.unread.size ?? 0) === 0) resolve();
    };
    const wakes = waiting.get(organizationId) ?? new Set();
    waiting.set(organizationId, wakes.add(wake));
    const timer = setTimeout(resolve, Math.max(0, untilMs - now()));
    await promise;
    clearTimeout(timer);
    wakes.delete(wake);
    if (wakes.size === 0) waiting.delete(organizationId);
  }

  /** Looks for what was read meanwhile, once for all who ask now. */
  function lookAgain(organizationId: string): Promise<void> {
    const known = looks.get(organizationId);
    if (known !== undefined) return known;
    // A list is worth giving out without it.
    const look = refresh(organizationId)
      .catch((error: unknown) => onFault(error, 'connections'))
      .finally(() => looks.delete(organizationId));
    looks.set(organizationId, look);
    return look;
  }

  const find = (organizationId: string, connectionId: string) =>
    parts.get(organizationId)?.byId.get(connectionId)?.connection;

  return {
    name: 'connections',
    kind: 'connection',
    reach: 'organization',
    catalog: (organizationId) => parts.get(organizationId),
    prepare,
    isBehind: (organizationId) => missed.has(organizationId) || options.isBehind?.() === true,
    settled(organizationId) {
      const unread = parts.get(organizationId)?.unread;
      if (unread === undefined || unread.size === 0) return undefined;
      const untilMs = Math.max(...unread.values());
      if (untilMs > now()) return untilRead(organizationId, untilMs);
      return untilMs + READING_MS > now() ? lookAgain(organizationId) : undefined;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connectionsOf: (organizationId) =>
      [...(parts.get(organizationId)?.byId.values() ?? [])].map(({ connection }) => connection),
    find,
    isInactive: (organizationId, connectionId) => find(organizationId, connectionId)?.status === 'inactive',
    degradedOf: (organizationId) =>
      [...(parts.get(organizationId)?.byId.values() ?? [])].flatMap(
        ({ connection: { id, title }, installed, degraded }) =>
          degraded === undefined || installed === undefined ? [] : [{ connectionId: id, title, ...degraded }],
      ),
    lookAgain,
    tell,
    breakerChanged(connectionId) {
      for (const [organizationId, part] of parts)
        if (part.byId.has(connectionId)) reloads.add(organizationId);
    },
    close() {
      unsubscribe();
      reloads.close();
    },
  };
}

function servedIn({ byId }: Part): ServedConnection[] {
  return [...byId.values()].flatMap(({ connection, installed }) =>
    installed === undefined ? [] : [connection],
  );
}
