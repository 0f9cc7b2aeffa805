/** Owns which IP addresses are public, which are internal, and which may never be reached. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** `public` is open to all, `internal` only to listed hosts, `never` to nobody. */
export type AddressReach = 'public' | 'internal' | 'never';

const METADATA = blockList([
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '169.254.0.23/32',
  '169.254.10.10/32',
  '169.254.42.42/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:42::42/128',
  'fd00:c1::a9fe:a9fe/128',
  'fe80::a9fe:a9fe/128',
]);

const INTERNAL_IPV4 = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

const GLOBAL_IPV6 = blockList(['2000::/3']);

const INTERNAL_IPV6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

const IPV4_INSIDE_IPV6 = blockList([
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
]);

/** Says how far an address may be reached; what is not an address is `never`. */
export function reachOf(address: string): AddressReach {
  if (isIPv4(address)) {
    if (METADATA.check(address, 'ipv4')) return 'never';
    return INTERNAL_IPV4.check(address, 'ipv4') ? 'internal' : 'public';
  }
  // a zone id names an interface of this machine, so no outside name has a use for it
  if (!isIPv6(address) || address.includes('%')) return 'never';
  if (METADATA.check(address, 'ipv6')) return 'never';
  const groups = ipv6Groups(address);
  if (IPV4_INSIDE_IPV6.check(address, 'ipv6') || isIsatap(groups)) {
    return embeddedIpv4(groups).some((inner) => METADATA.check(inner, 'ipv4')) ? 'never' : 'internal';
  }
  if (!GLOBAL_IPV6.check(address, 'ipv6')) return 'internal';
  return INTERNAL_IPV6.check(address, 'ipv6') ? 'internal' : 'public';
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/');
    list.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}

function ipv6Groups(address: string): number[] {
  // the URL parser turns every spelling, dotted quads included, into plain hexadecimal groups
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const left = parseGroups(head);
  const right = parseGroups(tail ?? '');
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function parseGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function isIsatap(groups: readonly number[]): boolean {
  return groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200);
}

/** Every place where a transition mechanism may carry an IPv4 address: the tail, 6to4, Teredo, NAT64 with a /48. */
function embeddedIpv4(groups: readonly number[]): string[] {
  const [, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groups;
  const pairs: [number, number][] = [
    [g6, g7],
    [g1, g2],
    [g2, g3],
    [g6 ^ 0xffff, g7 ^ 0xffff],
    [g3, ((g4 & 0xff) << 8) | (g5 >> 8)],
  ];
  return pairs.map(([high, low]) => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.'));
}
