/** A second process for tests: its wall clock is wrong by so much; prints how far the time of the store is from the right one. */
import { openStore } from '../src/index.ts';
import type { StoreOptions } from '../src/index.ts';

// What the test has sent.
const { wrongByMs, ...options }: StoreOptions & { wrongByMs: number } = JSON.parse(process.argv[2] ?? '{}');
const real = Date.now.bind(Date);
Date.now = () => real() + wrongByMs;
const errors: string[] = [];
const store = await openStore({ ...options, onError: (error) => errors.push(String(error)) });
await store.migrate([]);
await store.ping();
process.stdout.write(`${JSON.stringify({ aheadMs: store.now() - real(), errors })}\n`);
await store.close();
