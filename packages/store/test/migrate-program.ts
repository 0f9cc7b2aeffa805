/** A second process for tests: opens the store it is told, migrates, prints what it applied. */
import { openStore } from '../src/index.ts';
import type { MigrationSet, StoreOptions } from '../src/index.ts';

const counters: MigrationSet = {
  name: 'counters',
  migrations: {
    '001-first': async (db) => {
      await db.schema
        .createTable('counters')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .execute();
    },
  },
};

const options: StoreOptions = JSON.parse(process.argv[2] ?? '{}');
const store = await openStore(options);
for (const name of await store.migrate([counters])) process.stdout.write(`${name}\n`);
await store.close();
