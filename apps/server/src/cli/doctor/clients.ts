/** Do the clients configured in a project reach this server, with keys that it knows. */
import { commandWord } from '../../config.ts';
import type { Config } from '../../config.ts';
import { addressOf } from '../address.ts';
import { clientConfiguration, commandConfiguration } from '../client-configuration.ts';
import type { Check } from '../../health/check.ts';
import type { ClientEntry, ClientFile } from './client-files.ts';
import { readClientFiles } from './client-files.ts';
import { checkHttp, isOnThisMachine, isThisServer, toolsetAt } from './client-http.ts';
import { checkStdio, startsParley } from './client-stdio.ts';
import type { Lookup } from './variables.ts';
import type { ViteProject } from './vite-project.ts';

/** What an entry is held against. */
export interface Surroundings {
  readonly config: Config;
  /** The folder whose files are read. */
  readonly project: string;
  /** The data folder that the pages of the project use. */
  readonly pageDataDir: string;
  readonly lookup: Lookup;
  /** The names of all toolsets, which are paths below /mcp. */
  readonly toolsets: readonly string[];
  /** The paths of connections and virtual MCPs. */
  readonly paths: readonly string[];
  /** The program of this installation, for advice. */
  readonly launcher: string;
  /** The project as Vite has it, where it uses Vite. */
  readonly vite: ViteProject | undefined;
}

/** One check per entry for Parley in each client file; a hint when there is no file. */
export async function checkClients(around: Surroundings): Promise<Check[]> {
  const files = await readClientFiles(around.project);
  if (files.length === 0) return [noFiles(around)];
  const checks = await Promise.all(files.map((file) => checkFile(file, around)));
  return checks.flat();
}

function noFiles({ config, project, pageDataDir, vite, launcher }: Surroundings): Check {
  const found = `no client configuration in ${project}`;
  // A dev server opens the data folder itself, so that often no server runs beside it.
  const isDev = vite !== undefined && config.databaseUrl === undefined;
  if (!isDev) return { name: 'clients', state: 'ok', found: `${found}; "${commandWord()} start" prints one` };
  const text = commandConfiguration(launcher, pageDataDir, 'annotations');
  return {
    name: 'clients',
    state: 'ok',
    found,
    fix: `For a client that reads .mcp.json, write into it:\n${text}`,
  };
}

async function checkFile(file: ClientFile, around: Surroundings): Promise<Check[]> {
  const { client, path, field, entries } = file;
  const name = `${client} (${path})`;
  const fix = `Use:\n${clientConfiguration(`${addressOf(around.config)}/mcp`, client)}`;
  if (entries === undefined)
    return [{ name, state: 'fail', found: `is not valid ${path.endsWith('.toml') ? 'TOML' : 'JSON'}`, fix }];
  const own = entries.filter((entry) => isParleys(entry, around));
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

function isParleys({ name, command, url }: ClientEntry, around: Surroundings): boolean {
  if (name === 'parley') return true;
  if (command !== undefined) return startsParley(command);
  const address = URL.parse(url ?? '');
  if (address === null) return false;
  // Where the port is wrong, the path still tells that Parley is meant.
  return (
    isThisServer(address, around) || (isOnThisMachine(address) && toolsetAt(address, around) !== undefined)
  );
}
