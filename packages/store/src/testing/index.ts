/** Stores for tests: one suite on both engines, and a throwaway store for everybody else's tests. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, inject } from 'vitest';
import { openStore } from '../open-store.ts';
import type { Store, StoreEngine, StoreOptions } from '../store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a running PostgreSQL server whose user may create databases. */
    postgresUrl: string;
  }
}

/** Opens one more store on the database of the running test; every test has a fresh database. */
export type OpenStore = (options?: Partial<StoreOptions>) => Promise<Store>;

/** A place for one database: what `openStore` needs to find it again, and how to remove it. */
export interface ScratchDatabase {
  options: StoreOptions;
  remove: () => Promise<void>;
}

/** A fresh database of the engine; SQLite in a temporary folder, PostgreSQL on the server of the test run. */
export async function scratchDatabase(engine: StoreEngine): Promise<ScratchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const removeDir = (): void => rmSync(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') return { options: { dataDir }, remove: async () => removeDir() };
  const name = `parley_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name}`);
  const databaseUrl = new URL(inject('postgresUrl'));
  databaseUrl.pathname = `/${name}`;
  return {
    options: { dataDir, databaseUrl: databaseUrl.href },
    async remove() {
      removeDir();
      await onServer(`drop database if exists ${name} with (force)`);
    },
  };
}

/** A suite that runs on each engine; `where` tells a second process how to find the database of the running test. */
export type EngineSuite = (open: OpenStore, engine: StoreEngine, where: () => Promise<StoreOptions>) => void;

/**
 * Runs a suite once per engine. `open` gives a store on the fresh database of the running test; a second call gives
 * a second store on the same one, as a second process would have. All are closed after the test.
 */
export function onBothEngines(name: string, suite: EngineSuite): void {
  describe.each<StoreEngine>(['sqlite', 'postgres'])(`${name} on %s`, (engine) => {
    let database: Promise<ScratchDatabase> | undefined;
    const stores: Store[] = [];

    afterEach(async () => {
      await Promise.all(stores.splice(0).map((store) => store.close()));
      const used = await database;
      database = undefined;
      await used?.remove();
    });

    const where = async (): Promise<StoreOptions> => {
      database ??= scratchDatabase(engine);
      return (await database).options;
    };
    const open: OpenStore = async (options) => {
      const store = await openStore({ ...(await where()), ...options });
      stores.push(store);
      return store;
    };
    suite(open, engine, where);
  });
}

/** A throwaway SQLite store; `await using store = await scratchStore()` removes it at the end of the block. */
export async function scratchStore(options: Partial<StoreOptions> = {}): Promise<Store & AsyncDisposable> {
  const database = await scratchDatabase('sqlite');
  const store = await openStore({ ...database.options, ...options });
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database.remove();
    },
  };
}

async function onServer(statement: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
