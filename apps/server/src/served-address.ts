/** Where the server of a data folder answers, for commands beside it: written at its start, taken away at its end. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';

const FILE = 'server.url';
const MAX_LENGTH = 300;

/** Leaves the address of this process in the folder; the function that comes back takes it away again. */
export function noteAddress({ dataDir }: Pick<Config, 'dataDir'>, url: string): () => void {
  const file = join(dataDir, FILE);
  try {
    writeFileSync(file, `${url}\n`, { mode: 0o600 });
  } catch {
    // Commands then go by their flags, as they do for a server on another machine.
  }
  return () => {
    // Another process on the same folder may have come later, and is served still.
    if (textOf(file) === url) rmSync(file, { force: true });
  };
}

/** The address of the server that was left there, for people who go to it with a browser. */
export function notedUrl(config: Pick<Config, 'dataDir'>): string | undefined {
  const url = URL.parse(textOf(join(config.dataDir, FILE)) ?? '');
  return url?.protocol === 'http:' && url.port !== '' ? url.origin : undefined;
}

/** What was left there; a server that was killed leaves its address too. */
export function notedAddress({
  dataDir,
}: Pick<Config, 'dataDir'>): Pick<Config, 'host' | 'port'> | undefined {
  const url = URL.parse(textOf(join(dataDir, FILE)) ?? '');
  if (url?.protocol !== 'http:' || url.port === '') return undefined;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').slice(0, MAX_LENGTH).trim();
  } catch {
    return undefined;
  }
}
