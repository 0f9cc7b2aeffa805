/** The fault "kill -9 under mixed load", in short: `npm run faults -- kill` has the long form. */
import { scratchDatabase } from '@parley/store/testing';
import { seededRandom } from '@parley/test-support/random';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { killRounds } from './kill-rounds.ts';

beforeAll(ensureBuilt);

test.each([
  { engine: 'sqlite', replicas: 1 },
  { engine: 'postgres', replicas: 2 },
] as const)(
  'nothing acknowledged is lost, no finished step runs again and nothing is stuck on $engine',
  // Each round waits for leases and for servers to start, one after the other.
  { timeout: 300_000 },
  async ({ engine, replicas }) => {
    const database = await scratchDatabase(engine);
    onTestFinished(() => database.remove());
    const seed = Math.floor(seededRandom()() * 2 ** 32);
    const { faults, wrongAnswers, acknowledged } = await killRounds({
      dataDir: database.options.dataDir,
      databaseUrl: database.options.databaseUrl,
      rounds: 2,
      replicas,
      seed,
      leaseMs: 2_000,
    });
    expect(faults).toEqual([]);
    expect(wrongAnswers).toEqual([]);
    for (const [what, count] of Object.entries(acknowledged)) expect([what, count]).not.toEqual([what, 0]);
  },
);
