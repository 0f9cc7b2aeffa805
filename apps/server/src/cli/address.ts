/** Where a server with this configuration is reached from the same machine. */
import type { Config } from '../config.ts';
import { notedAddress } from '../served-address.ts';

/** The address without a path; one that listens everywhere is reached by the loopback name. */
export function addressOf({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** The same where a server of the data folder runs, which may have another port; what was set as its public address wins. */
export function servedAt(config: Pick<Config, 'host' | 'port' | 'dataDir' | 'web'>): string {
  return config.web.publicUrl ?? addressOf({ ...config, ...notedAddress(config) });
}
