/** `parley migrate`: brings the database up to date without starting the server. */
import { openStore } from '@parley/store';
import { loadConfig } from '../config.ts';
import { storeOptions } from '../start/base.ts';
import { refuseLostDatabase } from '../owner-key.ts';
import { allToolsets, migrationsOf } from '../start/host.ts';
import type { Command } from './main.ts';
import { tellFault } from './session.ts';

/** Applies what is pending and names it. */
export const migrate: Command = async (args, toolsets) => {
  const { config } = loadConfig(args, { toolsets });
  refuseLostDatabase(config);
  const store = await openStore(storeOptions(config, tellFault));
  try {
    const applied = await store.migrate(migrationsOf(await allToolsets({ toolsets })));
    const text =
      applied.length === 0
        ? 'The database is up to date.'
        : applied.map((name) => `applied ${name}`).join('\n');
    process.stdout.write(`${config.json ? JSON.stringify({ applied }) : text}\n`);
    return 0;
  } finally {
    await store.close();
  }
};
