/** A program that is killed: writes rows through the store without end and prints each id once it is acknowledged. */
import { writeSync } from 'node:fs';
import { openStore } from '@parley/store';
import type { StoreOptions } from '@parley/store';
import { ledger } from './ledger.ts';
import type { LedgerTables } from './ledger.ts';

const { options, run }: { options: StoreOptions; run: number } = JSON.parse(process.argv[2] ?? '{}');
const store = await openStore(options);
await store.migrate([ledger]);

async function writeForever(lane: number): Promise<never> {
  for (let index = 0; ; index += 1) {
    const id = `${run}-${lane}-${index}`;
    if (index % 2 === 0) await store.db<LedgerTables>().insertInto('ledger').values({ id }).execute();
    else await store.transaction((tx) => tx.db<LedgerTables>().insertInto('ledger').values({ id }).execute());
    // Synchronous, so that an id that was acknowledged cannot be lost in a buffer of the dying process.
    writeSync(1, `${id}\n`);
  }
}

await Promise.all([0, 1, 2, 3].map(writeForever));
