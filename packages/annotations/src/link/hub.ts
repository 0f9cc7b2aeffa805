/** Every live connection of this process, by session, and what it is told when the data changes. */
import { Places, UnreadBytes } from '@parley/http';
import { detach, DueWork, ToolError } from '@parley/kit';
import type { AnnotationServices } from '../services/index.ts';
import type { AnnotationChange } from '../services/changes.ts';
import type { PageAnnotation, Presence } from '../shapes.ts';
import type { PageLink } from './connection.ts';
import { CLOSE } from './messages.ts';
import { Meter } from './meter.ts';

const SWEEP_EVERY_MS = 5000;
/** The name under which all connections are counted. */
const PROCESS = 'process';

/** The connections of one session. */
interface Place {
  readonly organizationId: string;
  readonly sessionId: string;
  readonly pageTokenId: string;
  readonly origin: string;
  readonly connections: Set<PageLink>;
  /** What has to be told: some ids, or everything. */
  due: Set<string> | 'all' | undefined;
}

/** Holds connections and tells them what changed. */
export class LinkHub {
  /** What pages leave unread, counted over all of them. */
  readonly unread = new UnreadBytes();
  /** What sessions send, with or without a connection. */
  readonly meter: Meter;
  readonly #services: AnnotationServices;
  readonly #seats = new Places();
  readonly #seatOf = new WeakMap<PageLink, () => void>();
  /** One reader per session, so that an older state never overtakes a newer one. */
  readonly #telling: DueWork<Place>;
  readonly #places = new Map<string, Place>();
  readonly #unlisten: () => void;
  #sweep: NodeJS.Timeout | undefined;

  constructor(services: AnnotationServices) {
    this.#services = services;
    this.meter = new Meter(services.limits, services.now);
    this.#telling = new DueWork({
      work: (place) => this.#tell(place),
      onFault: (error) => services.onFault(error, 'annotation link'),
    });
    this.#unlisten = services.changes.listen((change) => this.#onChange(change));
  }

  /** Adds a connection, or throws when there are too many; what changes before it is ready reaches it in one sync afterwards. */
  add(connection: PageLink): void {
    const { session } = connection;
    const { limits } = this.#services;
    const leave = this.#seats.take([
      [`session ${session.id}`, limits.connectionsPerSession],
      [`token ${session.page_token_id}`, limits.connectionsPerPageToken],
      [PROCESS, limits.connectionsPerProcess],
    ]);
    if (leave === undefined)
      throw new ToolError('rate_limited', 'Too many pages are connected. Close some tabs and try again.');
    this.#seatOf.set(connection, leave);
    const place = this.#places.get(session.id) ?? this.#newPlace(connection);
    place.connections.add(connection);
    this.#places.set(session.id, place);
    this.#sweep ??= setInterval(() => this.#onSweep(), SWEEP_EVERY_MS).unref();
  }

  /** Removes a connection; the last one of a session lets go of it. */
  remove(connection: PageLink): void {
    const { id } = connection.session;
    this.#seatOf.get(connection)?.();
    const place = this.#places.get(id);
    if (place === undefined || !place.connections.delete(connection) || place.connections.size > 0) return;
    this.#places.delete(id);
    this.#telling.delete(place);
    if (this.#places.size === 0) this.#stopSweep();
    this.#run(this.#services.sessions.release(id));
  }

  /** How many connections are open. */
  get size(): number {
    return this.#seats.taken(PROCESS);
  }

  /** The connections of a session. */
  connectionsOf(sessionId: string): readonly PageLink[] {
    return [...(this.#places.get(sessionId)?.connections ?? [])];
  }

  async close(): Promise<void> {
    this.#unlisten();
    this.#stopSweep();
    this.#telling.close();
    const places = [...this.#places.values()];
    this.#places.clear();
    for (const { connections } of places)
      for (const connection of connections) connection.close(1001, 'The server stops.');
    await Promise.allSettled(places.map(({ sessionId }) => this.#services.sessions.release(sessionId)));
  }

  #newPlace({ session }: PageLink): Place {
    return {
      organizationId: session.organization_id,
      sessionId: session.id,
      pageTokenId: session.page_token_id,
      origin: session.origin,
      connections: new Set(),
      due: undefined,
    };
  }

  #onChange(change: AnnotationChange): void {
    if (change.kind === 'notes') {
      const place = this.#places.get(change.sessionId);
      if (place !== undefined) this.#note(place, change.ids);
    } else if (change.kind === 'all') {
      for (const place of this.#places.values()) this.#note(place, undefined);
    } else if (change.kind === 'page-token') {
      this.#run(this.#closeRevoked(change.pageTokenId));
    } else if (change.kind === 'presence') {
      for (const place of this.#places.values())
        if (place.organizationId === change.organizationId) this.#telling.add(place);
    }
  }

  #note(place: Place, ids: readonly string[] | undefined): void {
    if (ids === undefined || place.due === 'all') place.due = 'all';
    else place.due = new Set([...(place.due ?? []), ...ids]);
    this.#telling.add(place);
  }

  async #tell(place: Place): Promise<void> {
    while (place.due !== undefined) {
      const due = place.due;
      place.due = undefined;
      try {
        if (due === 'all') this.#sendAll(place, await this.#services.notes.ofSession(place.sessionId));
        else this.#sendSome(place, await this.#services.notes.byId([...due]));
      } catch (error) {
        // What could not be read is read again, with everything that has changed by then.
        place.due = 'all';
        throw error;
      }
    }
    const presence: Presence = await this.#services.presence.of(place.organizationId, place.sessionId);
    for (const connection of place.connections) connection.tellPresence(presence);
  }

  #sendAll({ connections }: Place, annotations: readonly PageAnnotation[]): void {
    for (const connection of connections) connection.sync(annotations);
  }

  #sendSome({ connections }: Place, annotations: readonly PageAnnotation[]): void {
    for (const connection of connections) for (const annotation of annotations) connection.update(annotation);
  }

  #onSweep(): void {
    const silentMs = this.#services.limits.pingMs * 3;
    for (const place of this.#places.values()) {
      for (const connection of place.connections) connection.closeIfSilent(silentMs);
      this.#telling.add(place);
    }
    this.#run(this.#closeRevoked());
  }

  /** Closes what is connected with tokens that are revoked or bound to other origins; all tokens unless one is named. */
  async #closeRevoked(only?: string): Promise<void> {
    const places = [...this.#places.values()].filter(
      ({ pageTokenId }) => (only ?? pageTokenId) === pageTokenId,
    );
    const groups = Map.groupBy(places, ({ pageTokenId, origin }) => `${pageTokenId} ${origin}`);
    for (const group of groups.values()) {
      const [{ pageTokenId, origin } = { pageTokenId: '', origin: '' }] = group;
      if (await this.#services.pageTokens.isValid(pageTokenId, origin)) continue;
      for (const { connections } of group)
        for (const connection of connections)
          connection.close(CLOSE.unauthorized, 'The page token is no longer valid.');
    }
  }

  #stopSweep(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #run(work: Promise<unknown>): void {
    detach(work, (error) => this.#services.onFault(error, 'annotation link'));
  }
}
