/** Owns the owner's list of hosts that may be reached over http and inside private ranges. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { invalid } from './errors.ts';

/** One parsed entry; without a port it covers every port of the host. */
export interface AllowRule {
  readonly host: string;
  /** Instead of one host, every one whose addresses are all in here. */
  readonly range?: BlockList;
  readonly port?: number;
  /** True: over http, but in no private range. */
  readonly isPlainOnly?: true;
}

/** Before an entry of a host that may be reached over http while its addresses are public. */
const PLAIN = 'plain:';

/** The entry that lets an http address be reached as long as it is a public one. */
export function plainEntry({ hostname, port }: Pick<URL, 'hostname' | 'port'>): string {
  return `${PLAIN}${hostname}:${port === '' ? 80 : port}`;
}

/** Parses `host`, `host:port` and CIDR entries, and those of `plainEntry`; a malformed entry is refused rather than ignored. */
export function parseAllowList(entries: readonly string[] = []): AllowRule[] {
  return entries.map((entry) =>
    entry.startsWith(PLAIN)
      ? { ...parseEntry(entry.slice(PLAIN.length)), isPlainOnly: true }
      : parseEntry(entry),
  );
}

/** True when a rule names exactly this host, and this port if the rule has one. */
export function isListed(rules: readonly AllowRule[], url: URL): boolean {
  return rules.some((rule) => rule.isPlainOnly !== true && isNamed(rule, url));
}

/** True when this address may be reached without TLS. */
export function isPlainListed(rules: readonly AllowRule[], url: URL): boolean {
  return rules.some((rule) => isNamed(rule, url));
}

/** True when an address is in a range of the list. */
export function isInRange(rules: readonly AllowRule[], address: string): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return rules.some(({ range }) => range?.check(address, family) === true);
}

function isNamed(rule: AllowRule, url: URL): boolean {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return rule.host === url.hostname && (rule.port ?? port) === port;
}

/** Writes a host name in its one spelling, or gives undefined when it is not a name that can be looked up. */
export function canonicalHost(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname;
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return name.length <= 253 && name.split('.').every(isLabel) ? name : undefined;
}

function isLabel(label: string): boolean {
  return /^[a-z0-9_-]{1,63}$/.test(label);
}

function parseEntry(entry: string): AllowRule {
  if (entry.includes('/')) return parseRange(entry);
  const text = isIPv6(entry) ? `[${entry}]` : entry;
  const [, name, digits] = /^(\[[^\]]*\]|[^:/?#@\\\s]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = name === undefined ? undefined : parseHost(name);
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || port === 0 || (port ?? 0) > 65_535) {
    throw invalid(
      `The allow entry ${JSON.stringify(entry)} is not valid. Write it as host, host:port or a range such as 10.1.0.0/16.`,
    );
  }
  return port === undefined ? { host } : { host, port };
}

function parseRange(entry: string): AllowRule {
  const [, network = '', digits = ''] = /^([^/]{2,45})\/(\d{1,3})$/.exec(entry) ?? [];
  const family = isIP(network);
  const prefix = Number(digits);
  // A range of everything would be no guard at all.
  if (family === 0 || prefix === 0 || prefix > (family === 4 ? 32 : 128))
    throw invalid(
      `The allow entry ${JSON.stringify(entry)} is not a range. Write it as 10.1.0.0/16 or fd00:1::/64.`,
    );
  const range = new BlockList();
  range.addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return { host: '', range };
}

function parseHost(name: string): string | undefined {
  const url = `http://${name}`;
  return URL.canParse(url) ? canonicalHost(new URL(url).hostname) : undefined;
}
