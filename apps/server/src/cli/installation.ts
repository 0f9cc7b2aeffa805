/** Is there an installation to work on: only `start` and `migrate` make one without being told to. */
import { commandWord } from '../config.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';

type Place = Pick<Config, 'dataDir' | 'databaseUrl' | 'secretKey'>;

/** True when the data folder belongs to an installation; on PostgreSQL it holds the secret key alone. */
export function hasInstallation({ dataDir, databaseUrl, secretKey }: Place): boolean {
  if (databaseUrl === undefined) return existsSync(join(dataDir, 'parley.db'));
  return secretKey !== undefined || existsSync(join(dataDir, 'secret.key'));
}

/** Throws where there is none, since a wrong --data would make a second one that nobody wanted. */
export function requireInstallation(config: Config): void {
  if (config.init || hasInstallation(config)) return;
  throw new Error(
    `There is no Parley installation in ${config.dataDir}. Name its folder with --data or PARLEY_DATA, or make one there: "${commandWord()} start", or this command with --init.`,
  );
}
