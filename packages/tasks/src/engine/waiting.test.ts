/** The limit of waiting tasks as it is counted: now and then, and never against somebody who has room. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { WaitingLimit } from './waiting.ts';

const OWNER = { organization_id: 'org_1', owner_id: 'user_1' };

onBothEngines('the count of those who wait', (open) => {
  test('what was allowed when it was looked at is not refused because it ends that very moment', async () => {
    const store = await open();
    const limit = new WaitingLimit(1000);
    let atMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => atMs);
    onTestFinished(() => clock.mockRestore());
    expect(await limit.admit(store, [OWNER], 0)).toEqual([undefined]);
    // Every look at the clock is a moment later than the one before.
    atMs = 1000;
    clock.mockImplementation(() => atMs++);
    expect(await limit.admit(store, [OWNER], 0)).toEqual([undefined]);
  });
});
