/** Checks of the database and of the owner key in it. */
import { commandWord } from '../../config.ts';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { MigrationSet, Store } from '@parley/store';
import { damagedFiles, openStore } from '@parley/store';
import type { Config } from '../../config.ts';
import type { ServedToolset } from '../../start/served-toolset.ts';
import { storeOptions } from '../../start/base.ts';
import { lostDatabase, ownerKeyFileOf } from '../../owner-key.ts';
import { allToolsets, migrationsOf } from '../../start/host.ts';
import { databaseCheck, databaseFix, PUT_BACK } from '../../health/findings.ts';
import { errorText } from '../error-text.ts';
import type { Check } from '../../health/check.ts';
import { modeCheck } from './machine.ts';

/** Does the database answer, and is its schema one that this version knows. */
export async function checkDatabase(config: Config, toolsets: readonly ServedToolset[]): Promise<Check> {
  const name = 'database';
  const lost = lostDatabase(config);
  if (lost !== undefined) return { name, state: 'fail', found: lost };
  if (!(await hasDatabase(config))) {
    return {
      name,
      state: 'warn',
      found: 'there is no database yet',
      fix: `Run "${commandWord()} start"; it makes the database.`,
    };
  }
  return withStore(config, { name, needs: [] }, async (store) => {
    const { length: steps } = await store.pending(migrationsOf(await allToolsets({ toolsets })));
    await store.ping();
    return databaseCheck(store.engine, steps);
  });
}

/** Are the files of SQLite whole, page by page; the file of the call records comes with the first record. */
export async function checkFiles(config: Config): Promise<Check[]> {
  const isThere = config.databaseUrl === undefined && (await hasDatabase(config));
  if (!isThere) return [];
  const name = 'files';
  const aside: Check[] = [];
  let damaged: string[];
  try {
    damaged = await damagedFiles(config.dataDir, (error) => {
      aside.push({ name, state: 'warn', found: errorText(error) });
    });
  } catch (error) {
    return [...aside, { name, state: 'fail', found: errorText(error), fix: databaseFix(error) }];
  }
  if (damaged.length === 0)
    return [...aside, { name, state: 'ok', found: 'every page of the databases is whole' }];
  const broken = damaged.map((path): Check => {
    const fix = path.endsWith('records.db')
      ? 'Start the server: with the next call it puts the file aside and begins a new one.'
      : PUT_BACK;
    return { name, state: 'fail', found: `${path} is damaged`, fix };
  });
  return [...aside, ...broken];
}

/** Is the owner key there, closed to others, and valid. */
export async function checkOwnerKey(config: Config): Promise<Check> {
  const name = 'owner key';
  const file = ownerKeyFileOf(config);
  // What cannot be looked at counts as not there.
  const info = await stat(file).catch(() => undefined);
  if (info === undefined || !(await hasDatabase(config))) {
    const fix = `The first start writes it. If it is lost, make a new one: ${commandWord()} keys recover`;
    return { name, state: 'warn', found: `${file} does not exist`, fix };
  }
  const key = (await readFile(file, 'utf8')).trim();
  return withStore(config, { name, needs: [identityMigrations] }, async (store) => {
    const identity = createIdentity(store);
    const caller = await identity.authenticate(key, 'cli');
    identity.close();
    if (caller !== undefined) return modeCheck(name, file, info.mode, 0o600);
    const fix = `Make a new one: ${commandWord()} keys recover`;
    return { name, state: 'fail', found: `${file} holds a key that is revoked or unknown`, fix };
  });
}

/** True when there is a database to look into; PostgreSQL is always asked. */
export async function hasDatabase(config: Config): Promise<boolean> {
  if (config.databaseUrl !== undefined) return true;
  return stat(join(config.dataDir, 'parley.db')).then(
    ({ size }) => size > 0,
    () => false,
  );
}

/** Opens the store for one check that needs the tables of some sets; what goes wrong is the finding. Brings nothing up to date. */
export async function withStore(
  config: Config,
  { name, needs }: { readonly name: string; readonly needs: MigrationSet[] },
  check: (store: Store) => Promise<Check>,
): Promise<Check> {
  let store: Store | undefined;
  try {
    store = await openStore(storeOptions(withoutNewKey(config), () => undefined));
    const isBehind = needs.length > 0 && (await store.pending(needs)).length > 0;
    if (isBehind) return { name, state: 'warn', found: 'not looked into, since the database is behind' };
    return await check(store);
  } catch (error) {
    return { name, state: 'fail', found: errorText(error), fix: databaseFix(error) };
  } finally {
    await store?.close();
  }
}

/** A look makes no key file: without one it gets a key that opens nothing. */
function withoutNewKey(config: Config): Config {
  if (config.secretKey !== undefined || existsSync(join(config.dataDir, 'secret.key'))) return config;
  return { ...config, secretKey: randomBytes(32).toString('base64url') };
}
