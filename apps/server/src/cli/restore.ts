/** `parley restore`: makes a data folder of a backup, whose server answers but does nothing by itself until it is told to. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openStore, restoreBackup, SecretKeyError } from '@parley/store';
import type { Config } from '../config.ts';
import { commandWord, loadConfig, UsageError } from '../config.ts';
import { holdMigrations, writeHold } from '../hold/held-row.ts';
import { storeOptions } from '../start/base.ts';
import { allToolsets, migrationsOf } from '../start/host.ts';
import type { ServedToolset } from '../start/served-toolset.ts';
import type { Command } from './main.ts';
import { tellFault } from './session.ts';

const KEY_FILES = ['secret.key', 'owner.key'] as const;

/** Restores into a folder that is new, or empty but for its keys. */
export const restore: Command = async (args, toolsets) => {
  const { config: given, positionals, extras } = loadConfig(args, { extra: { into: 'text' }, toolsets });
  const [folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0)
    throw new UsageError('Usage: parley restore BACKUP [--into FOLDER]');
  if (given.databaseUrl !== undefined)
    throw new UsageError(
      `parley restore is for SQLite. For PostgreSQL use pg_restore, then "${commandWord()} hold" before the first start.`,
    );
  const config = typeof extras.into === 'string' ? { ...given, dataDir: resolve(extras.into) } : given;
  const backupDir = resolve(folder);
  const secretKey = secretKeyFor(config, backupDir);
  const files = await restoreBackup(backupDir, config.dataDir, (copyDir) =>
    holdCopy({ ...config, dataDir: copyDir, secretKey }, toolsets),
  );
  bringKeys(backupDir, config);
  const { dataDir } = config;
  const text = config.json ? JSON.stringify({ files, data: dataDir, held: true }) : report(files, config);
  process.stdout.write(`${text}\n`);
  return 0;
};

/** The key that the data was made with, wherever it was put; without it nothing is restored. */
function secretKeyFor({ secretKey, dataDir }: Config, backupDir: string): string {
  if (secretKey !== undefined) return secretKey;
  const file = [dataDir, backupDir].map((place) => join(place, 'secret.key')).find(existsSync);
  if (file !== undefined) return readFileSync(file, 'utf8');
  throw new SecretKeyError(
    `There is no secret key for this backup. Put the secret.key that the data was made with into ${dataDir} or beside the backup, or set PARLEY_SECRET_KEY to it.`,
  );
}

/** Refuses a database of a newer version, and writes the hold before anything can be started on it. */
async function holdCopy(config: Config, toolsets: readonly ServedToolset[]): Promise<void> {
  const store = await openStore(storeOptions(config, tellFault));
  try {
    await store.pending(migrationsOf(await allToolsets({ toolsets })));
    await store.migrate([holdMigrations]);
    await writeHold(store, { since: Date.now(), reason: 'restored' });
  } finally {
    await store.close();
  }
}

/** Keys that somebody put beside the backup go along; one that is in the folder already stays. */
function bringKeys(backupDir: string, { dataDir, secretKey }: Config): void {
  for (const name of KEY_FILES) {
    const [from, to] = [join(backupDir, name), join(dataDir, name)];
    const isGiven = name === 'secret.key' && secretKey !== undefined;
    if (!isGiven && existsSync(from) && !existsSync(to))
      writeFileSync(to, readFileSync(from), { flag: 'wx', mode: 0o600, flush: true });
  }
}

function report(files: readonly string[], { dataDir }: Config): string {
  const next = [
    'Held: its server answers, and tasks, schedules and deliveries wait, since the original may have run them.',
    `Look at it:   parley start --data ${dataDir}`,
    `Let it act:   parley resume --data ${dataDir}   (or start it with --resume), once the original is stopped for good`,
  ];
  const ownerKey = existsSync(join(dataDir, 'owner.key'))
    ? []
    : [
        `There is no owner.key in it. Put it there, or make a new one: ${commandWord()} keys recover --data ${dataDir}`,
      ];
  return [...files, ...next, ...ownerKey].join('\n');
}
