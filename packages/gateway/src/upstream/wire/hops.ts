/** The count of hops against loops: how often a call has left this server before, signed by it, carried on by others. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { UpstreamFault } from '../link.ts';

const MOST_HOPS = 5;
/** Servers of this kind on the way. */
const MOST_ENTRIES = 8;
const ENTRY = /^(\d{1,2})\.([A-Za-z0-9_-]{43})$/;

/** Gives the header of a request that goes on, from the one that came in; throws where the call goes in circles. */
export type NextHops = (incoming: string | undefined) => string;

/** Entries of other servers are carried on unread, so that a loop over several of them is noticed by each. */
export function createHops(key: string): NextHops {
  const entries = Array.from({ length: MOST_HOPS + 1 }, (_each, hops) => entryOf(key, hops));
  const first = entries[1] ?? '';
  return (incoming) => {
    if (incoming === undefined) return first;
    const given = incoming.split(',', MOST_ENTRIES + 1).map((entry) => entry.trim());
    const others = given.filter((entry) => ENTRY.test(entry) && hopsIn(entry, entries) === undefined);
    const own = Math.max(0, ...given.map((entry) => hopsIn(entry, entries) ?? 0));
    const next = entries[own + 1];
    if (next === undefined || others.length >= MOST_ENTRIES)
      throw new UpstreamFault(
        'not_allowed',
        `The call has come back to this server ${MOST_HOPS} times. Remove the connection that leads back here.`,
        { wasSent: false },
      );
    return [...others, next].join(', ');
  };
}

function entryOf(key: string, hops: number): string {
  return `${hops}.${createHmac('sha256', key).update(`hops ${hops}`).digest('base64url')}`;
}

/** The count of an entry that this server has signed. */
function hopsIn(entry: string, entries: readonly string[]): number | undefined {
  const hops = Number(ENTRY.exec(entry)?.[1] ?? -1);
  const own = entries[hops];
  if (own === undefined || own.length !== entry.length) return undefined;
  return timingSafeEqual(Buffer.from(own), Buffer.from(entry)) ? hops : undefined;
}
