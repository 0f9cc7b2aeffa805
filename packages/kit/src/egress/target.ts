/** Owns the check of one address before anything connects to it: scheme, name, and every resolved address. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { reachOf } from './addresses.ts';
import type { AllowRule } from './allow-list.ts';
import { canonicalHost, isInRange, isListed, isPlainListed } from './allow-list.ts';
import { invalid, notAllowed, unreachable } from './errors.ts';
import type { Resolve, ResolvedAddress } from './policy.ts';
import { startTimer } from './timer.ts';

/** A checked address: connections may go to these addresses and to no others. */
export interface Target {
  readonly url: URL;
  readonly addresses: readonly ResolvedAddress[];
  /** Whose requests share sockets to it. */
  readonly owner?: string | undefined;
}

/** What a check needs to know. */
export interface CheckOptions {
  readonly rules: readonly AllowRule[];
  readonly resolve: Resolve;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Asks the operating system for every address of a name. */
export const resolveWithSystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
};

/** Checks an address without connecting and pins what it resolved to. */
export async function checkTarget(input: string | URL, options: CheckOptions): Promise<Target> {
  const url = parseUrl(input);
  const { rules } = options;
  const isPlain = url.protocol === 'http:' && !isPlainListed(rules, url);
  if (isMetadataName(url.hostname)) throw notAllowed();
  // Only a range can still let it pass, so nobody else's name is looked up.
  if (isPlain && !rules.some(({ range }) => range !== undefined)) throw notAllowed();
  const addresses = await addressesOf(url.hostname, options);
  const isNamed = isListed(rules, url);
  for (const { address } of addresses) {
    const reach = reachOf(address);
    const isIn = isInRange(rules, address);
    if (reach === 'never' || (reach === 'internal' && !isNamed && !isIn) || (isPlain && !isIn))
      throw notAllowed();
  }
  return { url, addresses };
}

/** Parses an address into its one spelling; http and https without credentials are the only ones that pass. */
export function parseUrl(input: string | URL): URL {
  const text = String(input);
  if (!URL.canParse(text)) throw invalid('The address is not a valid URL. Write it as https://host/path.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw notAllowed();
  if (url.username !== '' || url.password !== '') {
    throw invalid('The address carries a user name or password. Send credentials in a header instead.');
  }
  const host = canonicalHost(url.hostname);
  if (host === undefined) throw invalid('The host name in the address is not valid. Check its spelling.');
  url.hostname = host;
  url.hash = '';
  return url;
}

/** True for a host that nobody reaches, whatever is allowed: a service with the secrets of the machine. */
export function isNeverReached(hostname: string): boolean {
  const host = canonicalHost(hostname) ?? hostname;
  if (isMetadataName(host)) return true;
  return isLiteral(host) && reachOf(host.startsWith('[') ? host.slice(1, -1) : host) === 'never';
}

function isMetadataName(host: string): boolean {
  return METADATA_NAMES.has(host) || host.endsWith('.metadata.google.internal');
}

/** True for an address in numbers, which never resolves to another one. */
export function isLiteral(hostname: string): boolean {
  return hostname.startsWith('[') || isIP(hostname) !== 0;
}

async function addressesOf(hostname: string, options: CheckOptions): Promise<readonly ResolvedAddress[]> {
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const literalFamily = isIP(literal);
  if (literalFamily === 4 || literalFamily === 6) return [{ address: literal, family: literalFamily }];

  const timer = startTimer(options.timeoutMs, options.signal);
  try {
    const found = await timer.race(options.resolve(hostname));
    if (found.length === 0) throw unreachable(false);
    return found.map(({ address }) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  } catch {
    throw timer.signal.aborted ? timer.signal.reason : unreachable(false);
  } finally {
    timer.stop();
  }
}
