/** Replicas find each other by their rows, and notice who is gone, whatever the clocks of the others say. */
import type { Store } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, expect, test, vi } from 'vitest';
import { gatewayMigrations } from '../migrations/index.ts';
import type { DirectoryTimes } from './directory.ts';
import { ReplicaDirectory } from './directory.ts';

interface Tables {
  replicas: { id: string; address: string; renewed_at: number; state: string };
}

const ONE = 'http://10.0.0.1:4680';
const TWO = 'http://10.0.0.2:4680';

afterEach(() => {
  vi.useRealTimers();
});

onBothEngines(
  'a directory',
  (open) => {
    const joined: ReplicaDirectory[] = [];
    afterEach(async () => {
      await Promise.all(joined.splice(0).map((directory) => directory.leave()));
    });

    async function replica(id: string, times: Partial<DirectoryTimes> = {}) {
      const store = await open();
      await store.migrate([gatewayMigrations]);
      const lapsed: string[] = [];
      const faults: unknown[] = [];
      const onLapse = (gone: string) => lapsed.push(gone);
      const onFault = (error: unknown) => faults.push(error);
      const directory = new ReplicaDirectory({ store, id, onLapse, onFault, times });
      joined.push(directory);
      return { store, directory, lapsed, faults };
    }
    const rows = (store: Store) => store.db<Tables>().selectFrom('replicas').selectAll().execute();

    test('finds one that joined later, and loses one that left at once', async () => {
      const one = await replica('one');
      await one.directory.join(ONE);
      const two = await replica('two');
      await two.directory.join(TWO);
      expect(await two.directory.find('one')).toHaveProperty('address', ONE);
      await eventually(async () => expect(await one.directory.find('two')).toHaveProperty('address', TWO));
      expect(await one.directory.find('three')).toBeUndefined();
      await two.directory.retire();
      await eventually(async () =>
        expect(await one.directory.find('two')).toMatchObject({ state: 'leaving' }),
      );
      await two.directory.leave();
      await eventually(async () => expect(await one.directory.find('two')).toBeUndefined());
      expect(await rows(one.store)).toMatchObject([{ id: 'one' }]);
      expect([...one.lapsed, ...one.faults, ...two.faults]).toEqual([]);
    });

    test('one that stops to renew its row is gone, and its row goes too; one that renews stays', async () => {
      const renewed = { renewMs: 20, lapseMs: 20_000, sweepMs: 60_000 };
      const one = await replica('one', renewed);
      const two = await replica('two', renewed);
      const dead = {
        id: 'dead',
        address: 'http://10.0.0.3:4680',
        renewed_at: Date.now() + 86_400_000,
        state: 'serving',
      };
      await one.store.db<Tables>().insertInto('replicas').values(dead).execute();
      vi.useFakeTimers({ toFake: ['performance'] });
      await one.directory.join(ONE);
      await two.directory.join(TWO);
      // Its clock is a day ahead, which counts for nothing.
      expect(await one.directory.find('dead')).toHaveProperty('address', dead.address);
      await eventually(async () => expect(await one.directory.find('two')).toHaveProperty('address', TWO));
      for (let step = 0; step < 2; step += 1) {
        vi.advanceTimersByTime(11_000);
        const before = (await rows(one.store)).find(({ id }) => id === 'two');
        await eventually(async () => {
          const after = (await rows(one.store)).find(({ id }) => id === 'two');
          expect(after?.renewed_at).toBeGreaterThan(before?.renewed_at ?? 0);
        });
        await eventually(async () => expect(await one.directory.find('two')).toHaveProperty('address', TWO));
      }
      await eventually(async () => expect(await one.directory.find('dead')).toBeUndefined());
      expect(one.lapsed.filter((id) => id === 'dead')).toEqual(['dead']);
      vi.advanceTimersByTime(60_000);
      await eventually(async () => expect((await rows(one.store)).map(({ id }) => id)).not.toContain('dead'));
      expect([...one.faults, ...two.faults]).toEqual([]);
    });

    test('a row with its own address is of a process that was here before', async () => {
      const one = await replica('one');
      const before = { id: 'before', address: ONE, renewed_at: Date.now(), state: 'serving' };
      await one.store.db<Tables>().insertInto('replicas').values(before).execute();
      await one.directory.join(ONE);
      expect(await one.directory.find('before')).toBeUndefined();
    });

    test('made-up ids are looked for once in a while', async () => {
      const one = await replica('one', { lookAgainMs: 60_000 });
      await one.directory.join(ONE);
      const db = vi.spyOn(one.store, 'db');
      for (let index = 0; index < 100; index += 1)
        expect(await one.directory.find(`id-${index}`)).toBeUndefined();
      expect(db).toHaveBeenCalledOnce();
    });
  },
  [gatewayMigrations],
);
