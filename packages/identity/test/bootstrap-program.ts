/** A first start as a process of its own: waits for a line on stdin, bootstraps, and prints the key it was handed. */
import { once } from 'node:events';
import type { StoreOptions } from '@parley/store';
import { openStore } from '@parley/store';
import { createIdentity, identityMigrations } from '../src/index.ts';

const options: StoreOptions = JSON.parse(process.argv[2] ?? '{}');
const store = await openStore(options);
await store.migrate([identityMigrations]);
const identity = createIdentity(store);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
let key: string | null = null;
const isFirst = await identity.bootstrap(async (text) => {
  key = text;
});
process.stdout.write(`${JSON.stringify({ isFirst, key })}\n`);
identity.close();
await store.close();
process.stdin.destroy();
