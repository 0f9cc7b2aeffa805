/** Owns which hosts are this machine itself, by whatever address it is called. */
import { isIPv4 } from 'node:net';
import { hostname as nameOfMachine, networkInterfaces } from 'node:os';
import { canonicalHost } from './allow-list.ts';

const MAPPED = /^\[::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;
const UNSPECIFIED = new Set(['0.0.0.0', '[::]']);

/** True for a host as a parsed URL has it that leads to this machine: a loopback, none in particular, or one of its own. */
export function isThisMachine(hostname: string): boolean {
  const host = plainIpv4(canonicalHost(hostname) ?? hostname);
  if (host === 'localhost' || host.endsWith('.localhost') || host === nameOfMachine().toLowerCase())
    return true;
  if (UNSPECIFIED.has(host) || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'))) return true;
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address, family }) => host === (family === 'IPv6' ? urlForm(address) : address)),
  );
}

/** An IPv4 address that is written as one of IPv6, in its own form. */
function plainIpv4(host: string): string {
  const [, high, low] = MAPPED.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 0xff, b >> 8, b & 0xff].join('.');
}

function urlForm(address: string): string | undefined {
  return URL.parse(`http://[${address}]`)?.hostname;
}
