/** A second process for tests: publishes each line that it reads as a signal, and prints the time of the commit. */
import { createInterface } from 'node:readline';
import { openStore } from '../src/index.ts';
import type { StoreOptions } from '../src/index.ts';

const options: StoreOptions = JSON.parse(process.argv[2] ?? '{}');
const store = await openStore(options);
process.stdout.write('ready\n');
for await (const topic of createInterface({ input: process.stdin })) {
  await store.signal.publish(topic, 'from the second process');
  process.stdout.write(`${Date.now()}\n`);
}
await store.close();
