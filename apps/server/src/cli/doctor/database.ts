/** Checks of the database and of the owner key in it. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnyToolset } from '@parley/kit';
import { createIdentity } from '@parley/identity';
import type { Store } from '@parley/store';
import { MigrationError, openStore } from '@parley/store';
import type { Config } from '../../config.ts';
import { storeOptions } from '../../base.ts';
import { allToolsets, migrationsOf } from '../../host.ts';
import type { Check } from './check.ts';
import { modeCheck } from './machine.ts';

/** Does the database answer, and is its schema one that this version knows. */
export async function checkDatabase(config: Config, toolsets: readonly AnyToolset[]): Promise<Check> {
  const name = 'database';
  if (!(await hasDatabase(config))) {
    return {
      name,
      state: 'warn',
      found: 'there is no database yet',
      fix: 'Run "parley start"; it makes the database.',
    };
  }
  return withStore(config, name, async (store) => {
    await store.ping();
    const applied = await store.migrate(migrationsOf(await allToolsets({ toolsets })));
    const done = applied.length === 0 ? 'up to date' : `brought up to date (${applied.join(', ')})`;
    return { name, state: 'ok', found: `${store.engine}, ${done}` };
  });
}

/** Is the owner key there, closed to others, and valid. */
export async function checkOwnerKey(config: Config, toolsets: readonly AnyToolset[]): Promise<Check> {
  const name = 'owner key';
  const file = join(config.dataDir, 'owner.key');
  const info = await stat(file).catch(() => undefined);
  if (info === undefined || !(await hasDatabase(config))) {
    const fix = 'The first start writes it. If it is lost, use another key with --key.';
    return { name, state: 'warn', found: `${file} does not exist`, fix };
  }
  const key = (await readFile(file, 'utf8')).trim();
  return withStore(config, name, async (store) => {
    await store.migrate(migrationsOf(await allToolsets({ toolsets })));
    const identity = createIdentity(store);
    const caller = await identity.authenticate(key, 'cli');
    identity.close();
    if (caller !== undefined) return modeCheck(name, file, info.mode, 0o600);
    const fix = 'Put another owner key into the file: parley keys create "Owner key" --key <a valid key>';
    return { name, state: 'fail', found: `${file} holds a key that is revoked or unknown`, fix };
  });
}

/** True when there is a database to look into; PostgreSQL is always asked. */
export async function hasDatabase(config: Config): Promise<boolean> {
  if (config.databaseUrl !== undefined) return true;
  return stat(join(config.dataDir, 'parley.db')).then(
    () => true,
    () => false,
  );
}

/** Opens the store for one check; what goes wrong is the finding. */
export async function withStore(
  config: Config,
  name: string,
  check: (store: Store) => Promise<Check>,
): Promise<Check> {
  let store: Store | undefined;
  try {
    store = await openStore(storeOptions(config, () => undefined));
    return await check(store);
  } catch (error) {
    const found = error instanceof Error ? error.message : 'it does not answer';
    const fix =
      error instanceof MigrationError
        ? 'Start the version of Parley that wrote it.'
        : 'Check that the database runs and that --data or --database-url names it.';
    return { name, state: 'fail', found, fix };
  } finally {
    await store?.close();
  }
}
