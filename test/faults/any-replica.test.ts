/** Three servers behind a plain balancer: any of them serves any task. */
import { scratchDatabase } from '@parley/store/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { THROUGH_ANY } from './any-replica.ts';
import { startThree } from './frozen-replica.ts';

beforeAll(ensureBuilt);

test('tasks go through any of three servers', async () => {
  const database = await scratchDatabase('postgres');
  onTestFinished(() => database.remove());
  const { databaseUrl = '', dataDir } = database.options;
  const bed = await startThree({ databaseUrl, dataDir, leaseMs: 2_000 });
  onTestFinished(() => bed[Symbol.asyncDispose]());
  const doings = Object.values(THROUGH_ANY).map((doing) => doing(bed));
  await expect(Promise.all(doings)).resolves.toHaveLength(doings.length);
});
