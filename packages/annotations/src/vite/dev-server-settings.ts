/** Owns what the plugin asks of the dev server's configuration: the way to a running Parley, and what is not watched. */
import { isAbsolute } from 'node:path';
import type { UserConfig } from 'vite';
import type { ParleyOptions } from './options.ts';

/** Settings to be merged into a dev server's configuration. */
export function devServerSettings(
  { server, data = '.parley' }: ParleyOptions,
  config: UserConfig,
): UserConfig {
  if (server !== undefined) {
    return { server: { proxy: { '^/__parley/': { target: server, ws: true, changeOrigin: true } } } };
  }
  // A project that switched watching off keeps it off.
  if (config.server?.watch === null) return {};
  const folder = data.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/$/, '');
  return { server: { watch: { ignored: [isAbsolute(data) ? `${folder}/**` : `**/${folder}/**`] } } };
}
