/** A second process for tests: writes rows, makes a backup, writes more rows, and waits to be killed. */
import { openStore } from '../src/index.ts';
import type { MigrationSet, StoreOptions } from '../src/index.ts';
import { callRecord } from './call-record.ts';

interface Settings {
  readonly options: StoreOptions;
  readonly backup: string;
}

const notes: MigrationSet = {
  name: 'notes',
  migrations: {
    '001-notes': async (db) => {
      await db.schema.createTable('notes').addColumn('id', 'text').addColumn('text', 'text').execute();
    },
  },
};

const { options, backup }: Settings = JSON.parse(process.argv[2] ?? '{}');
const store = await openStore(options);
await store.migrate([notes]);
await write('kept', 200);
await store.backup(backup);
await write('replaced', 300);
process.stdout.write('written\n');
process.stdin.resume();

async function write(name: string, rows: number): Promise<void> {
  for (let index = 0; index < rows; index += 1) {
    const id = `${name} ${index}`;
    await store
      .db<{ notes: { id: string; text: string } }>()
      .insertInto('notes')
      .values({ id, text: id.repeat(40) })
      .execute();
    store.records.append(callRecord({ tool: id }));
  }
  await store.records.flush();
}
