/** The notices of tasks when the store does not answer: the last state is told late, never not at all. */
import { testCaller } from '@parley/kit/testing';
import type { ExtensionNotice } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test, vi } from 'vitest';
import { openBed } from '../../test/engine-bed.ts';
import { createTaskListen } from './listen.ts';

test('a state that could not be read is reported once, and told as soon as it can be', async () => {
  await using store = await scratchStore();
  const gate = Promise.withResolvers<void>();
  const bed = await openBed(async () => store, {
    scripts: {
      async slow() {
        await gate.promise;
        return { done: true };
      },
    },
  });
  const task = await bed.enqueue('slow');
  const told: ExtensionNotice[] = [];
  const listen = createTaskListen(bed.engine, Date.now);
  const subscription = await listen.open([task.id], testCaller({}), (notice) => told.push(notice));
  expect(subscription.honored).toEqual([task.id]);
  subscription.start();
  await eventually(() => expect(told).not.toHaveLength(0));
  const look = vi.spyOn(bed.engine, 'get').mockRejectedValue(new StoreUnavailableError('lost'));
  gate.resolve();
  await eventually(() => expect(look).toHaveBeenCalled());
  look.mockRestore();
  await eventually(() => expect(told.at(-1)?.params).toMatchObject({ status: 'completed' }));
  subscription.close();
});
