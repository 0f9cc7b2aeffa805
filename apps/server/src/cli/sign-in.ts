/** `parley sign-in`: a link that signs somebody in to the console once; being able to open the database is the proof. */
import { createIdentity } from '@parley/identity';
import { openStore } from '@parley/store';
import { loadConfig, UsageError } from '../config.ts';
import { consoleAddress, signInLink } from '../console/link.ts';
import { printable } from '../printable.ts';
import { storeOptions } from '../start/base.ts';
import { allToolsets, migrationsOf } from '../start/host.ts';
import { refuseLostDatabase } from '../owner-key.ts';
import { servedAt } from './address.ts';
import { hasDatabase } from './doctor/database.ts';
import type { Command } from './main.ts';
import { tellFault } from './session.ts';

/** Makes a link for the first owner, or for whoever has the e-mail. */
export const signIn: Command = async (args, toolsets) => {
  const { config, positionals } = loadConfig(args, { toolsets });
  const [who, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError('Usage: parley sign-in [EMAIL]');
  refuseLostDatabase(config);
  if (!(await hasDatabase(config)))
    throw new UsageError(`There is no database in ${config.dataDir}. Name its folder with --data.`);
  const store = await openStore(storeOptions(config, tellFault));
  try {
    await store.migrate(migrationsOf(await allToolsets({ toolsets })));
    const identity = createIdentity(store);
    const { token, name, expiresAt } = await identity.web.createLink(who);
    identity.close();
    const link = signInLink(consoleAddress(config, servedAt(config)), token);
    const text = `${printable(name)} signs in with this link, once, within 15 minutes:\n\n${link}`;
    const json = { signIn: link, name, expiresAt: new Date(expiresAt).toISOString() };
    process.stdout.write(`${config.json ? JSON.stringify(json) : text}\n`);
    return 0;
  } finally {
    await store.close();
  }
};
