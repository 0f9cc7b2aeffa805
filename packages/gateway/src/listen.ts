/** Listen streams: who may hold how many, and which notices each may carry. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Caller, Change, ChangeBus, Engine } from '@parley/kit';
import type { Limits } from './limits.ts';
import type { Served } from './modern.ts';

/** Permission for one stream. */
export interface ListenTicket {
  readonly bus: ServerEventBus;
  /** The request without the URIs its caller may not read. */
  readonly body: unknown;
  release(): void;
}

/** Admits listen streams within the limits. */
export interface ListenGate {
  /** `end` is called when the caller has lost every right to the stream. */
  admit(served: Served, body: unknown, end: () => void): ListenTicket | undefined;
}

/** Looks up what a caller may do now. */
export type CurrentCaller = (caller: Caller) => Promise<Caller | undefined>;

/** Creates the gate. */
export function createListenGate(changes: ChangeBus, current: CurrentCaller, limits: Limits): ListenGate {
  const openOf = new Map<string, number>();
  let openInAll = 0;
  return {
    admit(served, body, end) {
      const { id } = served.caller;
      const mine = openOf.get(id) ?? 0;
      if (mine >= limits.streamsPerCaller || openInAll >= limits.streamsPerProcess) return undefined;
      openOf.set(id, mine + 1);
      openInAll += 1;
      let isOpen = true;
      return {
        bus: filteredBus(changes, current, served, end),
        body: withoutForeignUris(body, served),
        release() {
          if (!isOpen) return;
          isOpen = false;
          openInAll -= 1;
          const left = (openOf.get(id) ?? 1) - 1;
          if (left === 0) openOf.delete(id);
          else openOf.set(id, left);
        },
      };
    },
  };
}

/** True when a caller may learn of a change. */
export function mayLearn(change: Change, caller: Caller, engine: Engine): boolean {
  if (change.organizationId !== undefined && change.organizationId !== caller.organizationId) return false;
  return change.kind !== 'resource' || engine.documents.canRead(caller, change.uri);
}

function filteredBus(
  changes: ChangeBus,
  current: CurrentCaller,
  served: Served,
  end: () => void,
): ServerEventBus {
  return {
    publish: () => undefined,
    subscribe: (listener) =>
      changes.subscribe((change) => {
        // Rights are looked up for every notice: they may have gone since the stream was opened.
        void current(served.caller).then((caller) => {
          if (caller === undefined) end();
          else if (mayLearn(change, caller, served.engine)) listener(eventOf(change));
        });
      }),
  };
}

function eventOf(change: Change): ServerEvent {
  if (change.kind === 'resource') return { kind: 'resource_updated', uri: change.uri };
  return { kind: `${change.kind}_list_changed` };
}

function withoutForeignUris(body: unknown, { caller, engine }: Served): unknown {
  // Every step below is optional, so any other shape falls through to the SDK, which refuses it.
  const request = body as { params?: { notifications?: { resourceSubscriptions?: unknown } } };
  const uris = request.params?.notifications?.resourceSubscriptions;
  if (!Array.isArray(uris)) return body;
  const readable = uris.filter((uri) => typeof uri !== 'string' || engine.documents.canRead(caller, uri));
  const notifications = { ...request.params?.notifications, resourceSubscriptions: readable };
  return { ...request, params: { ...request.params, notifications } };
}
