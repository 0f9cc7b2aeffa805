/** Owns the sockets: each pool is tied to one origin and to the exact addresses that were checked for it. */
import type { LookupFunction } from 'node:net';
import type * as undiciModule from 'undici';
import type { Dispatcher, Pool } from 'undici';
import { detach } from '../detach.ts';
import type { EgressLimits, ResolvedAddress } from './policy.ts';
import type { Hop } from './redirect.ts';
import type { Target } from './target.ts';

const KEEP_ALIVE_MAX_MS = 60_000;

/**
 * What a request is, so that no sort takes the sockets of another: a call, a word beside one that the server may wait
 * for before it goes on, or a stream that stays open.
 */
export type Lane = 'call' | 'aside' | 'stream';

/** Sockets of one pool; what comes while all are taken waits, within its own time. */
export const MOST_SOCKETS: Readonly<Record<Lane, number>> = { call: 96, aside: 32, stream: 256 };

/** Sends requests over pinned connections. */
export interface Connections {
  send(target: Target, hop: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData>;
  /** Resolves when requests can be dispatched. */
  ready(): Promise<void>;
  /** Sends a request whose answer is pushed to the handler; only after `ready`. */
  dispatch(
    target: Target,
    request: Dispatcher.DispatchOptions & { readonly lane?: Lane | undefined },
    handler: Dispatcher.DispatchHandler,
  ): void;
  close(): Promise<void>;
  /** How many pools are open. */
  size(): number;
}

/** What a connection needs to know; `ca` replaces the certificates that are trusted. */
export type ConnectionOptions = Pick<EgressLimits, 'connectTimeoutMs' | 'maxHeaderBytes'> & { ca?: string };

/** Opens a set of pinned connection pools. */
export function createConnections(options: ConnectionOptions): Connections {
  const pools = new Map<string, Pool>();
  let loaded: Undici | undefined;

  const load = async (): Promise<Undici> => {
    // Loaded by the first request: a server that asks nobody spares its memory. By its file, since Bun answers the bare
    // name with a stand-in that has no pools.
    loaded ??= await import('undici/index.js');
    return loaded;
  };

  const poolFor = (undici: Undici, target: Target, lane: Lane): Pool => {
    const key = keyOf(target, lane);
    const known = pools.get(key);
    if (known !== undefined) return known;
    const pool = new undici.Pool(target.url.origin, poolOptions(target, lane, options));
    // Counted here: the pool itself looks through all of its sockets each time that it is asked.
    let connected = 0;
    const retire = (): void => {
      if (connected > 0 || pools.get(key) !== pool || pool.stats.size > 0) return;
      pools.delete(key);
      // Nothing runs in it and nobody waits for it, so a fault in closing it concerns nobody.
      detach(pool.close(), () => undefined);
    };
    pool.on('connect', () => (connected += 1));
    pool.on('disconnect', () => {
      connected -= 1;
      retire();
    });
    pool.on('connectionError', retire);
    pools.set(key, pool);
    return pool;
  };

  return {
    async send(target, hop, signal) {
      const pool = poolFor(await load(), target, 'call');
      return pool.request({
        method: hop.method,
        path: target.url.pathname + target.url.search,
        headers: Object.fromEntries(hop.headers),
        body: hop.body ?? null,
        signal,
      });
    },
    async ready() {
      await load();
    },
    dispatch(target, { lane = 'call', ...request }, handler) {
      if (loaded === undefined)
        throw new Error('A request was dispatched before the connections were ready.');
      poolFor(loaded, target, lane).dispatch(request, handler);
    },
    close: async () => {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy()));
    },
    size: () => pools.size,
  };
}

type Undici = Pick<typeof undiciModule, 'Pool'>;

// A line sends many requests to one checked target.
const keys = new WeakMap<Target, Readonly<Record<Lane, string>>>();

/**
 * The addresses are part of the key, so that a use with fewer rights cannot ride on a socket of another; so is the
 * owner, whose slow calls hold up nobody else.
 */
function keyOf(target: Target, lane: Lane): string {
  const known = keys.get(target);
  if (known !== undefined) return known[lane];
  const addresses = target.addresses.map(({ address }) => address).toSorted();
  const key = [target.url.origin, ...addresses, JSON.stringify(target.owner ?? '')].join(' ');
  const all = { call: `call ${key}`, aside: `aside ${key}`, stream: `stream ${key}` };
  keys.set(target, all);
  return all[lane];
}

function poolOptions(
  target: Target,
  lane: Lane,
  { connectTimeoutMs, maxHeaderBytes, ca }: ConnectionOptions,
): Pool.Options {
  return {
    connect: {
      lookup: pinnedLookup(target.addresses),
      autoSelectFamily: true,
      timeout: connectTimeoutMs,
      ...(ca === undefined ? {} : { ca }),
    },
    connections: MOST_SOCKETS[lane],
    maxHeaderSize: maxHeaderBytes,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    // the request's own timer bounds both waits
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

function pinnedLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
