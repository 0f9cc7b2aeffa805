/** `parley hold` and `parley resume`: whether the servers on a database do what is due without being asked. */
import type { Store } from '@parley/store';
import { openStore } from '@parley/store';
import type { Config } from '../config.ts';
import { commandWord, loadConfig, UsageError } from '../config.ts';
import { holdMigrations, liftHold, writeHold } from '../hold/held-row.ts';
import { refuseLostDatabase } from '../owner-key.ts';
import { storeOptions } from '../start/base.ts';
import { allToolsets, migrationsOf } from '../start/host.ts';
import type { ServedToolset } from '../start/served-toolset.ts';
import { requireInstallation } from './installation.ts';
import type { Command } from './main.ts';
import { tellFault } from './session.ts';

/** Holds a database that no server was started on yet, such as one that was restored. */
export const hold: Command = async (args, toolsets) => {
  const config = configOf('hold', args, toolsets);
  return withTable(config, toolsets, async (store) => {
    const isNew = await writeHold(store, { since: Date.now(), reason: 'asked' });
    const text = isNew
      ? `Held: tasks, schedules and deliveries wait until "${commandWord()} resume". A server that runs already goes on until it is started again.`
      : `It is held already. "${commandWord()} resume" lifts it.`;
    process.stdout.write(`${config.json ? JSON.stringify({ held: true, changed: isNew }) : text}\n`);
    return 0;
  });
};

/** Lets the servers on a database act, those that run included. */
export const resume: Command = async (args, toolsets) => {
  const config = configOf('resume', args, toolsets);
  return withTable(config, toolsets, async (store) => {
    const isLifted = await liftHold(store);
    const text = isLifted
      ? 'Resumed: what waited begins now in the servers that run, or at the next start.'
      : 'Nothing is held.';
    process.stdout.write(`${config.json ? JSON.stringify({ held: false, changed: isLifted }) : text}\n`);
    return 0;
  });
};

function configOf(command: string, args: readonly string[], toolsets: readonly ServedToolset[]): Config {
  const { config, positionals } = loadConfig(args, { toolsets });
  if (positionals.length > 0) throw new UsageError(`Usage: parley ${command}`);
  return config;
}

/** Opens the database with the table of the hold in it; the rest is brought up to date by the next start. */
async function withTable<T>(
  config: Config,
  toolsets: readonly ServedToolset[],
  work: (store: Store) => Promise<T>,
): Promise<T> {
  refuseLostDatabase(config);
  requireInstallation({ ...config, init: false });
  const store = await openStore(storeOptions(config, tellFault));
  try {
    // Refuses a database of a newer version before anything is written to it.
    await store.pending(migrationsOf(await allToolsets({ toolsets })));
    await store.migrate([holdMigrations]);
    return await work(store);
  } finally {
    await store.close();
  }
}
