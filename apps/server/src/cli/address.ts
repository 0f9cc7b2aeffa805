/** Where a server with this configuration is reached from the same machine. */
import type { Config } from '../config.ts';

/** The address without a path; one that listens everywhere is reached by the loopback name. */
export function addressOf({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
