/** Do the clients configured in a project reach this server, with keys that it knows. */
import type { Config } from '../../config.ts';
import { clientConfiguration } from '../client-configuration.ts';
import type { Check } from './check.ts';
import type { ClientEntry, ClientFile } from './client-files.ts';
import { readClientFiles } from './client-files.ts';
import { checkHttp } from './client-http.ts';
import { checkStdio, startsParley } from './client-stdio.ts';
import type { Lookup } from './variables.ts';

/** What an entry is held against. */
export interface Surroundings {
  readonly config: Config;
  /** The folder whose files are read. */
  readonly project: string;
  readonly lookup: Lookup;
  /** The names of all toolsets, which are paths below /mcp. */
  readonly toolsets: readonly string[];
  /** The program of this installation, for advice. */
  readonly launcher: string;
}

/** One check per entry for Parley in each client file; a hint when there is no file. */
export async function checkClients(around: Surroundings): Promise<Check[]> {
  const files = await readClientFiles(around.project);
  if (files.length === 0) {
    const found = `no client configuration in ${around.project}; "parley start" prints one`;
    return [{ name: 'clients', state: 'ok', found }];
  }
  const checks = await Promise.all(files.map((file) => checkFile(file, around)));
  return checks.flat();
}

async function checkFile(file: ClientFile, around: Surroundings): Promise<Check[]> {
  const { client, path, field, entries } = file;
  const name = `${client} (${path})`;
  const { host, port } = around.config;
  const fix = `Use:\n${clientConfiguration(`http://${host}:${port}/mcp`, client)}`;
  if (entries === undefined)
    return [{ name, state: 'fail', found: `is not valid ${path.endsWith('.toml') ? 'TOML' : 'JSON'}`, fix }];
  const own = entries.filter(isParleys);
  if (own.length === 0)
    return [{ name, state: 'warn', found: `has no server "parley" under "${field}"`, fix }];
  return Promise.all(
    own.map((entry) => {
      const full = entry.name === 'parley' ? name : `${client} (${path}, ${entry.name.slice(0, 64)})`;
      const check = entry.command === undefined ? checkHttp : checkStdio;
      return check(full, client, entry, around);
    }),
  );
}

function isParleys({ name, command }: ClientEntry): boolean {
  return name === 'parley' || (command !== undefined && startsParley(command));
}
