/** Owns the start of Parley as a bench server. */
import { existsSync } from 'node:fs';
import { bundleShipped } from '../bundle.ts';
import { startServer } from '../server-process.ts';
import type { ServerProcess } from '../server-process.ts';

/** What the bench may ask for. */
export interface ParleyOptions {
  tools: number;
  port?: number;
  databaseUrl?: string;
  core?: number;
}

/** Parley as the bench sees it; `listKey` is a caller whose narrow grants name every bench tool. */
export type ParleyServer = ServerProcess & {
  url: string;
  key: string;
  listKey: string;
  dataDir: string | undefined;
};

/** Whether this checkout can start Parley. */
export function hasParley(): boolean {
  return existsSync(new URL('parley-main.ts', import.meta.url));
}

/** Starts Parley with `tools` bench tools in a data folder of its own. */
export async function startParley(options: ParleyOptions): Promise<ParleyServer> {
  const args = ['--tools', String(options.tools), '--port', String(options.port ?? 0)];
  if (options.databaseUrl !== undefined) args.push('--database-url', options.databaseUrl);
  const server = await startServer(await bundleShipped('servers/parley-main.ts'), args, options.core);
  const { url, key, listKey, dataDir } = server.ready;
  return {
    ...server,
    url,
    key,
    listKey: typeof listKey === 'string' ? listKey : key,
    dataDir: typeof dataDir === 'string' ? dataDir : undefined,
  };
}
