/** Listen streams: who may hold how many, and what each of them asked for. */
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Change } from '@parley/kit';
import { Places } from '@parley/http';
import type { Limits } from '../limits.ts';
import { PROCESS, streamPlaces } from '../limits.ts';
import type { Served } from './served.ts';
import type { NoticeBoard } from './notices.ts';

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
  /** How many are open. */
  open(): number;
}

// More would cost every notice a longer look, and nobody reads as many documents.
const MAX_URIS = 1000;

/** Creates the gate. */
export function createListenGate(board: NoticeBoard, limits: Limits): ListenGate {
  const places = new Places();
  return {
    admit(served, given, end) {
      const release = places.take(streamPlaces(served.caller, limits));
      if (release === undefined) return undefined;
      const body = withoutForeignUris(given, served);
      const watched = urisOf(body).map((uri) => board.watch(served, uri));
      const leave = () => {
        for (const unwatch of watched.splice(0)) unwatch();
        release();
      };
      return { bus: busOf(board, served, body, end), body, release: leave };
    },
    open: () => places.taken(PROCESS),
  };
}

/** A bus that carries only what this stream asked for and its caller may know. */
function busOf(board: NoticeBoard, served: Served, body: unknown, end: () => void): ServerEventBus {
  const wants = askedFor(body);
  return {
    publish: () => undefined,
    subscribe: (listener) =>
      board.add({ ...served, wants, end, tell: (change) => listener(eventOf(change)) }),
  };
}

interface ListenBody {
  readonly params?: {
    readonly notifications?: Readonly<Record<string, unknown>>;
  };
}

function askedFor(body: unknown): (change: Change) => boolean {
  // Every step is optional; what is malformed is refused by the SDK before anything is told.
  const asked = (body as ListenBody).params?.notifications ?? {};
  const uris = new Set(Array.isArray(asked.resourceSubscriptions) ? asked.resourceSubscriptions : []);
  return (change) =>
    change.kind === 'resource' ? uris.has(change.uri) : asked[`${change.kind}ListChanged`] === true;
}

function urisOf(body: unknown): string[] {
  // Every step is optional, as above.
  const uris = (body as ListenBody).params?.notifications?.['resourceSubscriptions'];
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === 'string'))] : [];
}

function eventOf(change: Change): ServerEvent {
  if (change.kind === 'resource') return { kind: 'resource_updated', uri: change.uri };
  return { kind: `${change.kind}_list_changed` };
}

function withoutForeignUris(body: unknown, { caller, engine }: Served): unknown {
  // Every step below is optional, so any other shape falls through to the SDK, which refuses it.
  const request = body as ListenBody;
  const uris = request.params?.notifications?.resourceSubscriptions;
  if (!Array.isArray(uris)) return body;
  const readable = uris
    .slice(0, MAX_URIS)
    .filter((uri) => typeof uri !== 'string' || engine.documents.canRead(caller, uri));
  const notifications = { ...request.params?.notifications, resourceSubscriptions: readable };
  return { ...request, params: { ...request.params, notifications } };
}
