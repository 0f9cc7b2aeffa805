/** Owns the promise of events under a kill, at a size that a test run can afford; the bench runs all 10,000. */
import { scratchDatabase } from '@parley/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { bundleScript } from './bundle.ts';
import { countAfterKill } from './event-kill.ts';

test(
  'two replicas, receivers that fail, one replica killed: nothing is lost, and cron fires once per tick',
  { timeout: 300_000 },
  async () => {
    const database = await scratchDatabase('postgres');
    onTestFinished(() => database.remove());
    const { databaseUrl = '' } = database.options;
    const script = bundleScript('servers/parley-quick-leases.ts');
    const failing = { share: 0.2, most: 1 };
    const counted = await countAfterKill({ script, databaseUrl, publications: 500, failing });
    expect(counted).toMatchObject({ published: 500, lost: 0, unexplained: 0, open: 0, wrongTicks: 0 });
    expect(counted.failures).toBeGreaterThan(0);
    expect(counted.ticks).toBeGreaterThan(3);
  },
);
