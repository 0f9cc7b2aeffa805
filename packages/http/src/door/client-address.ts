/** Who a request came from: the socket, or what a trusted proxy says about it. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** The address that a request counts for. */
export type ClientAddress = (req: IncomingMessage) => string;

/** Trusts the header only when these proxies wrote it; entries are addresses or ranges like `10.0.0.0/8`. */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const entry of trustedProxies) addTo(trusted, entry);
  const isTrusted = (address: string) => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return (req) => {
    const socket = plainAddress(req.socket.remoteAddress ?? '');
    let found = socket ?? 'unknown';
    if (socket === undefined || !isTrusted(socket)) return networkOf(found);
    // Every proxy appends whom it heard from, so only the right end is the word of somebody trusted.
    for (const hop of forwardedFor(req).toReversed()) {
      const address = plainAddress(hop);
      if (address === undefined) break;
      found = address;
      if (!isTrusted(address)) break;
    }
    return networkOf(found);
  };
}

function addTo(list: BlockList, entry: string): void {
  const [network = '', prefix] = entry.split('/');
  const family = isIPv4(network) ? 'ipv4' : 'ipv6';
  const bits = prefix === undefined ? undefined : Number(prefix);
  const isBad = isIP(network) === 0 || (bits !== undefined && !/^\d{1,3}$/.test(prefix ?? ''));
  if (isBad)
    throw new TypeError(`"${entry}" is no address of a proxy. Write it like 10.0.0.1 or 10.0.0.0/8.`);
  if (bits === undefined) list.addAddress(network, family);
  else list.addSubnet(network, bits, family);
}

function forwardedFor(req: IncomingMessage): string[] {
  const header = req.headers['x-forwarded-for'];
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text === '' ? [] : text.split(',').map((hop) => hop.trim());
}

const WITH_PORT = /^(?:\[([^\]]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/;

/** An address without brackets, port, zone and IPv6 wrapping; undefined when it is none. */
function plainAddress(text: string): string | undefined {
  const match = WITH_PORT.exec(text);
  const address = (match?.[1] ?? match?.[2] ?? text).replace(/%.*$/s, '').toLowerCase();
  const inner = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/.exec(address)?.[1] ?? address;
  return isIP(inner) === 0 ? undefined : inner;
}

/** One household has a whole /64 of IPv6, so that is what counts as one client. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail = ''] = canonical.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const groups = canonical.includes('::')
    ? [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
    : left;
  return `${groups.slice(0, 4).join(':')}::/64`;
}
