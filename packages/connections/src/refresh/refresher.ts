/** Keeps what is known of upstreams fresh: asks each now and then, and when it says that it has changed. */
import type { Events } from '@parley/events';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { ConnectionRow, ConnectionTables } from '../schema.ts';
import { CONNECTIONS_CHANGED } from '../services/base.ts';
import { keepAsItIs, keepDiscovery } from '../services/catalogs.ts';
import type { Discovery } from '../upstream.ts';
import { Announcements, writeAnnouncement } from './announcements.ts';
import { BETWEEN_MS, FARTHEST_MS } from './due.ts';
import type { Place } from './lease.ts';
import { claimLease, FARTHEST_LEASE_MS, holdingLease, newLease } from './lease.ts';

export interface RefresherOptions {
  readonly store: Store;
  readonly events: Pick<Events, 'publish'>;
  /**
   * Asks an upstream for all that it has, over what is open to it, without its secrets in the answer. Undefined: there
   * is nobody in whose name it could be asked, and what is known stays.
   */
  discover(organizationId: string, connectionId: string): Promise<Discovery | undefined>;
  readonly onFault: (error: unknown, where: string) => void;
  readonly now?: () => number;
  /** From 0 to 1; spreads what would be due at once. */
  readonly random?: () => number;
  /** How often it is looked for what is due. */
  readonly lookMs?: number;
  /** How many upstreams are asked at once. */
  readonly atOnce?: number;
}

/** Only a server starts one: a command has neither the time nor the reach. */
export interface Refresher {
  start(): void;
  stop(): Promise<void>;
  /** An upstream has said that it has changed. */
  announce(connectionId: string): void;
  /** Ends when everything that an upstream has announced is read; undefined when nothing is open. */
  settled(connectionId: string): Promise<void> | undefined;
  /** Asks everything that is due, now. */
  look(): Promise<void>;
}

const LOOK_MS = 5_000;
const AT_ONCE = 4;
const MOST_DUE = 200;
/** A call waits no longer for an upstream that has announced a change and does not answer. */
const LONGEST_WAIT_MS = 15_000;

export function createRefresher(options: RefresherOptions): Refresher {
  const { store, onFault, now = () => store.now(), lookMs = LOOK_MS, atOnce = AT_ONCE } = options;
  const announcements = new Announcements(LONGEST_WAIT_MS);
  const running = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  /** Announced here, and not yet begun to be read: what is announced again meanwhile is covered. */
  const unread = new Set<string>();
  let looking: Promise<void> | undefined;
  let isMissed = false;
  let ends: (() => void)[] = [];

  function run(work: () => Promise<void>): void {
    const done = work();
    running.add(done);
    detach(
      done.finally(() => running.delete(done)),
      (error) => onFault(error, 'refresh of connections'),
    );
  }

  /** Looks now; while a look runs, one more follows it. */
  async function look(): Promise<void> {
    if (looking !== undefined) {
      isMissed = true;
      return looking;
    }
    looking = askAllDue(options, atOnce).finally(() => (looking = undefined));
    await looking;
    if (!isMissed) return;
    isMissed = false;
    await look();
  }

  function later(delayMs: number, work: () => Promise<void>): void {
    if (ends.length === 0) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      run(work);
    }, delayMs).unref();
    timers.add(timer);
  }

  async function writeDown(connectionId: string): Promise<void> {
    const waiting = announcements.begin(connectionId);
    try {
      const announced = await store.transaction((tx) => writeAnnouncement(tx, connectionId, now()));
      const place = announced && (await placeOf(store, connectionId));
      if (announced === undefined || place === undefined) {
        unread.delete(connectionId);
        return announcements.drop(connectionId);
      }
      waiting.number = announced.number;
      const waitMs = announced.dueAt - now();
      if (waitMs <= 0) return await readAnnounced(place);
      later(waitMs, () => readAnnounced(place));
    } catch (error) {
      unread.delete(connectionId);
      throw error;
    }
  }

  /** Beside the look, which may be waiting for others that are slow. */
  async function readAnnounced(place: Place): Promise<void> {
    unread.delete(place.id);
    // Whoever asks already may have asked before the change.
    if (!(await askInTurn(options, place))) later(BETWEEN_MS, look);
  }

  return {
    look,
    settled: (connectionId) => announcements.settled(connectionId),
    announce(connectionId) {
      if (ends.length === 0) return;
      if (unread.has(connectionId)) return;
      unread.add(connectionId);
      // It counts as announced before anything is written, so that no call slips through meanwhile.
      run(() => writeDown(connectionId));
    },
    start() {
      if (ends.length > 0) return;
      const timer = setInterval(() => run(look), lookMs).unref();
      ends = [
        () => clearInterval(timer),
        announcements.follow(store),
        // One that was made, changed or switched on, or that was announced while another process had it.
        store.signal.subscribe(CONNECTIONS_CHANGED, () => run(look)),
      ];
      run(look);
    },
    async stop() {
      for (const end of ends.splice(0)) end();
      for (const timer of timers) clearTimeout(timer);
      announcements.close();
      // What went wrong in them was told already.
      await Promise.allSettled(running);
    },
  };
}

/** Asks what is due, the longest overdue first, a few at a time: a server that starts does not wake all at once. */
async function askAllDue(options: RefresherOptions, atOnce: number): Promise<void> {
  const { store, now = () => store.now(), onFault } = options;
  const queue = (await duePlaces(store, now())).values();
  const lane = async () => {
    for (const place of queue)
      await askInTurn(options, place).catch((error: unknown) => onFault(error, 'refresh of connections'));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** Asks one upstream that is due and keeps what came of it; false when somebody else asks, or has asked, already. */
async function askInTurn(options: RefresherOptions, place: Place): Promise<boolean> {
  const { store, events, now = () => store.now(), random = Math.random } = options;
  const lease = newLease();
  if (!(await claimLease(store, place, { lease, now: now(), isDue: true }))) return false;
  const current = await currentOf(store, place.id);
  if (current === undefined) return true;
  const { revision, status } = current;
  const holding = { store, connectionId: place.id, lease, now };
  // An announcement may have waited for its turn while somebody switched it off.
  const found =
    status === 'inactive' ? undefined : await holdingLease(holding, () => discovered(options, place));
  const asked = { ...place, revision, lease, by: null, now: now(), random: random() };
  await store.transaction((tx) =>
    found === undefined ? keepAsItIs(tx, asked) : keepDiscovery(tx, events, asked, found),
  );
  return true;
}

/** What asking gave; a fault of ours is one more way to fail, so that the lease ends. */
async function discovered(
  { discover, onFault }: RefresherOptions,
  { organizationId, id }: Place,
): Promise<Discovery | undefined> {
  try {
    return await discover(organizationId, id);
  } catch (error) {
    onFault(error, 'discovery of a connection');
    return {
      ok: false,
      status: 'unreachable',
      message: 'The server could not be asked. Look at the log of Parley.',
    };
  }
}

/** What is asked now and then: connections that lead elsewhere and are switched on. */
function asked(store: Store) {
  return store
    .db<ConnectionTables>()
    .selectFrom('connections')
    .leftJoin('connection_refreshes', 'connection_refreshes.connection_id', 'connections.id')
    .select(['connections.id', 'connections.organization_id as organizationId'])
    .where('connections.connection_type', 'not in', ['VIRTUAL', 'Websocket'])
    .where('connections.status', '<>', 'inactive');
}

async function duePlaces(store: Store, now: number): Promise<Place[]> {
  return asked(store)
    .where((row) =>
      row.or([
        row('connection_refreshes.due_at', 'is', null),
        row.and([
          row.or([
            row('connection_refreshes.due_at', '<=', now),
            row('connection_refreshes.due_at', '>', now + FARTHEST_MS),
          ]),
          row.or([
            row('connection_refreshes.lease_until', 'is', null),
            row('connection_refreshes.lease_until', '<=', now),
            row('connection_refreshes.lease_until', '>', now + FARTHEST_LEASE_MS),
          ]),
        ]),
      ]),
    )
    .orderBy((row) => row.fn.coalesce('connection_refreshes.due_at', row.lit(0)))
    .limit(MOST_DUE)
    .execute();
}

async function placeOf(store: Store, id: string): Promise<Place | undefined> {
  return asked(store).where('connections.id', '=', id).executeTakeFirst();
}

async function currentOf(
  store: Store,
  id: string,
): Promise<Pick<ConnectionRow, 'revision' | 'status'> | undefined> {
  return store
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select(['revision', 'status'])
    .where('id', '=', id)
    .executeTakeFirst();
}
