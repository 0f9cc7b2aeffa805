/** `parley backup`: a consistent copy of the databases while the server runs. */
import { join, resolve } from 'node:path';
import { openStore } from '@parley/store';
import { loadConfig, UsageError } from '../config.ts';
import { storeOptions } from '../start/base.ts';
import { refuseLostDatabase } from '../owner-key.ts';
import { requireInstallation } from './installation.ts';
import type { Command } from './main.ts';
import { tellFault } from './session.ts';

/** Copies into a new or empty folder. */
export const backup: Command = async (args, toolsets) => {
  const { config, positionals } = loadConfig(args, { toolsets });
  const [folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0) throw new UsageError('Usage: parley backup FOLDER');
  refuseLostDatabase(config);
  requireInstallation(config);
  const store = await openStore(storeOptions(config, tellFault));
  try {
    const files = await store.backup(resolve(folder));
    const note = `The secret key is not in the backup. Keep ${join(config.dataDir, 'secret.key')} apart from it.`;
    process.stdout.write(`${config.json ? JSON.stringify({ files }) : [...files, note].join('\n')}\n`);
    return 0;
  } finally {
    await store.close();
  }
};
