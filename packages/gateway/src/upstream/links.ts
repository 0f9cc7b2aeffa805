/** All links of this process: one way to each upstream, chosen by its type, shared by whoever may share it. */
import { randomBytes } from 'node:crypto';
import type { UpstreamTarget } from '@parley/connections';
import type { Egress } from '@parley/kit/egress';
import type { Link, Links, ServerFacts } from './link.ts';
import { UpstreamFault } from './link.ts';
import { Address } from './wire/address.ts';
import { HttpLink } from './wire/era.ts';
import { Home } from './wire/home.ts';
import { createHops } from './wire/hops.ts';
import type { WireLimits } from './wire/limits.ts';
import { WIRE_LIMITS } from './wire/limits.ts';

export interface LinkOptions {
  /** The way out; the caller closes it. */
  readonly egress: Egress;
  /** How this server introduces itself. */
  readonly info: { readonly name: string; readonly version: string };
  readonly onFault: (error: unknown, where: string) => void;
  /** Links to programs; absent: none is ever started. */
  readonly stdio?: Links | undefined;
  /** Links to services that an OpenAPI document describes; absent: there are none. */
  readonly openapi?: Links | undefined;
  /** Told when the era of a server was found out, whether it has changed or not. */
  readonly onEra?: ((connectionId: string, era: ServerFacts['era']) => void) | undefined;
  /** Signs the count of hops; equal for all replicas. Absent: a key of this process alone. */
  readonly hopKey?: string | undefined;
  readonly now?: (() => number) | undefined;
  readonly limits?: Partial<WireLimits> | undefined;
}

/** Times are measured, not dated: a clock that is set must neither end sessions nor keep them. */
const measured = () => performance.now();

/** Makes the links; what they have open ends with `close`. */
export function createLinks(options: LinkOptions): Links {
  const { egress, info, onFault, stdio, openapi, onEra, now = measured } = options;
  const limits = { ...WIRE_LIMITS, ...options.limits };
  const hops = createHops(options.hopKey ?? randomBytes(32).toString('base64url'));
  const homes = new Map<string, Home>();
  // Credentials live no longer than the target that brought them, unless a session or a watch still needs them.
  const links = new WeakMap<UpstreamTarget, { readonly link: Link; readonly home: Home }>();
  const sweeper = setInterval(
    () => {
      for (const home of homes.values()) home.shelf.sweep();
    },
    Math.max(10, limits.sessionIdleMs / 10),
  );
  sweeper.unref();

  const homeOf = ({ id, era, eraUntil }: UpstreamTarget): Home => {
    const known = homes.get(id);
    if (known !== undefined) return known;
    const means = { info, limits, onFault };
    const eraLeftMs = eraUntil === undefined ? undefined : eraUntil - Date.now();
    const home = new Home({ means, now, era, eraLeftMs, onEra: (seen) => onEra?.(id, seen) });
    homes.set(id, home);
    return home;
  };

  const overHttp = (target: UpstreamTarget): Link => {
    const known = links.get(target);
    if (known !== undefined && !known.home.isForgotten) return known.link;
    const home = homeOf(target);
    const address = new Address(target, { egress, hops }, home.lineFor(target, egress));
    const link = new HttpLink(address, home);
    links.set(target, { link, home });
    return link;
  };

  return {
    of(target) {
      const others = target.type === 'STDIO' ? stdio : openapi;
      try {
        if (target.type === 'HTTP' || target.type === 'SSE') return overHttp(target);
        if (others === undefined) throw switchedOff(target.type);
        return others.of(target);
      } catch (error) {
        return deadLink(error);
      }
    },
    async forget(connectionId) {
      const home = homes.get(connectionId);
      homes.delete(connectionId);
      await Promise.all([home?.close(), stdio?.forget(connectionId), openapi?.forget(connectionId)]);
    },
    async close() {
      clearInterval(sweeper);
      const open = [...homes.values()];
      homes.clear();
      await Promise.all([...open.map((home) => home.close()), stdio?.close(), openapi?.close()]);
    },
  };
}

/** A link of a connection that cannot have one: everything fails with the reason. */
function deadLink(reason: unknown): Link {
  const fail = async () => {
    throw reason;
  };
  return { facts: fail, request: fail, watch: fail };
}

function switchedOff(type: 'STDIO' | 'OPENAPI'): UpstreamFault {
  const message =
    type === 'STDIO'
      ? 'This server starts no programs. Start it with --allow-stdio.'
      : 'This server reads no OpenAPI documents.';
  return new UpstreamFault('not_allowed', message, { wasSent: false });
}
