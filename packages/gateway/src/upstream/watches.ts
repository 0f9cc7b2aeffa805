/** Listening to upstreams for those who listen here: one watch for each connection and principal, shared and counted. */
import type { ServedConnection, UpstreamTarget } from '@parley/connections';
import type { Caller, Change } from '@parley/kit';
import { detach, isTouched } from '@parley/kit';
import type { ClientWatches } from '../http/notices.ts';
import type { Link } from './link.ts';
import { SharedWatch } from './shared-watch.ts';

export interface WatchParts {
  /** A way to the upstream with the credentials of this caller. */
  open(
    caller: Caller,
    connection: ServedConnection,
  ): Promise<{ readonly link: Link; readonly target: Pick<UpstreamTarget, 'principal'> }>;
  find(organizationId: string, connectionId: string): ServedConnection | undefined;
  connectionsOf(organizationId: string): readonly ServedConnection[];
  /** Passes on that a document has changed. */
  tell(change: Change): void;
  /** An upstream says that its lists are others. */
  announce(connection: ServedConnection): void;
  readonly onFault: (error: unknown, where: string) => void;
  /** The first time after which a watch that could not be opened is tried again; tests have less. */
  readonly retryMs?: number;
}

/** What clients and the source of connections tell, and how it ends. */
export interface UpstreamWatches extends ClientWatches {
  /** The connections of an organization may be others. */
  changed(organizationId: string): void;
  /** A connection is gone, or leads somewhere else. */
  forget(connectionId: string): void;
  /** How many upstreams are listened to. */
  readonly size: number;
  close(): Promise<void>;
}

/** Somebody's share of a watch, from the moment it is asked for. */
interface Share {
  readonly connectionId: string;
  readonly callerId: string;
  readonly revision: number;
  /** Joins once more, after what it had joined was ended. */
  rejoin(): void;
  leave(): void;
}

// A watch would keep every program running that anybody ever stored.
const STANDING_TYPES = new Set<string>(['HTTP', 'SSE']);

export function createUpstreamWatches(parts: WatchParts): UpstreamWatches {
  const { onFault } = parts;
  const watches = new Map<string, SharedWatch>();
  const listeners = new Map<string, Map<object, Caller>>();
  /** What is listened to because somebody listens to lists, by organization and connection. */
  const standing = new Map<string, Map<string, Share>>();
  const due = new Set<string>();
  const shares = new Set<Share>();
  let isClosed = false;

  function watchOf(connection: ServedConnection, principal: string, link: Link): SharedWatch {
    const key = JSON.stringify([connection.organizationId, connection.id, principal]);
    const known = watches.get(key);
    if (known !== undefined) return known;
    const made: SharedWatch = new SharedWatch({
      link,
      retryMs: parts.retryMs,
      onFault: (error) => onFault(error, 'upstream watch'),
      onLists: () => parts.announce(connection),
      onResource(uri) {
        const { organizationId, id: toolset } = connection;
        const user = principal === '' ? {} : { userId: principal };
        parts.tell({ kind: 'resource', uri, organizationId, toolset, ...user });
      },
      onEmpty() {
        // Another one may have taken its place.
        if (watches.get(key) === made) watches.delete(key);
      },
    });
    watches.set(key, made);
    return made;
  }

  /** Takes a share at once; the upstream is opened meanwhile. */
  function share(caller: Caller, connection: ServedConnection, uri: string | undefined): Share {
    const { id: connectionId, organizationId, revision } = connection;
    let end: (() => void) | undefined;
    const join = async () => {
      const now = parts.find(organizationId, connectionId);
      if (now === undefined || now.status === 'inactive') return;
      const { link, target } = await parts.open(caller, now);
      if (!shares.has(made) || isClosed) return;
      end?.();
      end = watchOf(now, target.principal, link).join(uri);
    };
    const made: Share = {
      connectionId,
      callerId: caller.id,
      revision,
      rejoin: () => detach(join(), (error) => onFault(error, 'upstream watch')),
      leave() {
        shares.delete(made);
        end?.();
        end = undefined;
      },
    };
    shares.add(made);
    made.rejoin();
    return made;
  }

  /** Listens to what somebody here could hear of, and to nothing else. */
  function settle(organizationId: string): void {
    due.delete(organizationId);
    const callers = [...(listeners.get(organizationId)?.values() ?? [])];
    const here = standing.get(organizationId) ?? new Map<string, Share>();
    const wanted = new Map<string, { connection: ServedConnection; caller: Caller }>();
    for (const connection of callers.length === 0 ? [] : parts.connectionsOf(organizationId)) {
      const caller = tellsLists(connection)
        ? callers.find(({ grants }) => isTouched(grants, connection.id))
        : undefined;
      if (caller !== undefined) wanted.set(connection.id, { connection, caller });
    }
    for (const [id, { callerId, revision, leave }] of here) {
      const isWanted =
        wanted.get(id)?.connection.revision === revision && callers.some((caller) => caller.id === callerId);
      if (isWanted) continue;
      leave();
      here.delete(id);
    }
    for (const [id, { connection, caller }] of wanted)
      if (!here.has(id)) here.set(id, share(caller, connection, undefined));
    if (here.size === 0) standing.delete(organizationId);
    else standing.set(organizationId, here);
  }

  /** Many come and go together; they are looked at together. */
  function settleSoon(organizationId: string): void {
    if (due.has(organizationId) || isClosed) return;
    due.add(organizationId);
    setImmediate(() => {
      if (!isClosed) settle(organizationId);
    });
  }

  return {
    listening({ caller }) {
      const { organizationId } = caller;
      const here = listeners.get(organizationId) ?? new Map<object, Caller>();
      const key = {};
      listeners.set(organizationId, here.set(key, caller));
      settleSoon(organizationId);
      return () => {
        here.delete(key);
        if (here.size === 0) listeners.delete(organizationId);
        settleSoon(organizationId);
      };
    },
    begin({ caller, engine }, uri) {
      const found = engine.view(caller).resource(uri, caller);
      const connection = found && parts.find(caller.organizationId, found.resource.toolset);
      if (found === undefined || connection === undefined || !tellsResources(connection))
        return () => undefined;
      const own = found.resource.ownUri(uri, found.variables);
      const { leave } = share(caller, connection, own);
      return leave;
    },
    changed: settleSoon,
    forget(connectionId) {
      for (const [key, watch] of watches) {
        // The key is ours, and the connection is its second part.
        const [, id] = JSON.parse(key) as [string, string, string];
        if (id !== connectionId) continue;
        watches.delete(key);
        detach(watch.end(), (error) => onFault(error, 'upstream watch'));
      }
      // Whoever still listens listens to where it leads now.
      for (const each of shares) if (each.connectionId === connectionId) each.rejoin();
    },
    get size() {
      return watches.size;
    },
    async close() {
      isClosed = true;
      await Promise.all([...watches.values()].map((watch) => watch.end()));
      watches.clear();
    },
  };
}

function tellsLists({ status, isKnown, type, capabilities }: ServedConnection): boolean {
  if (status === 'inactive' || !isKnown || !STANDING_TYPES.has(type)) return false;
  return ['tools', 'prompts', 'resources'].some((kind) => says(capabilities[kind], 'listChanged'));
}

function tellsResources({ capabilities }: ServedConnection): boolean {
  return says(capabilities['resources'], 'subscribe');
}

function says(capability: unknown, what: string): boolean {
  return typeof capability === 'object' && capability !== null && Reflect.get(capability, what) === true;
}
