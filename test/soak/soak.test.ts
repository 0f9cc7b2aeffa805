/** The soak in short: clients, upstreams and administrators for a while, and nothing held when all is taken away. */
import { expect, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { scratchFolder } from '../product/parley.ts';
import { soak } from './soak.ts';

test('after a while of everything at once nothing is left: no descriptor, program, session or stream', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  const seed = Math.floor(Math.random() * 2 ** 32);
  const said: string[] = [`seed ${seed}`];
  const { faults } = await soak(
    {
      folder: folder.path,
      // How much happens in this time is no matter: what is held is looked at when all of it is over.
      warmMs: 5_000,
      runMs: 15_000,
      settleMs: 60_000,
      lanes: 4,
      seed,
      isMemoryCounted: false,
    },
    (line) => said.push(line),
  );
  expect(faults, said.join('\n')).toEqual([]);
}, 300_000);
