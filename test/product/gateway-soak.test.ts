/** A short soak of the gateway; `npm run soak` is the long one. */
import { beforeAll, expect, onTestFailed, test } from 'vitest';
import { soak } from '../soak/soak.ts';
import { ensureBuilt } from './build.ts';
import { scratchFolder } from './parley.ts';

beforeAll(ensureBuilt);

test(
  'upstreams that come and go leave neither descriptors, programs, sessions nor streams behind',
  { timeout: 240_000 },
  async () => {
    using folder = scratchFolder();
    const lines: string[] = [];
    onTestFailed(() => {
      process.stderr.write(`${lines.join('\n')}\n`);
    });
    const seed = Math.floor(Math.random() * 2 ** 32);
    lines.push(`seed ${seed}`);
    const times = { warmMs: 5_000, runMs: 15_000, settleMs: 90_000 };
    // How much happens in this time is no matter: what is held is looked at when all of it is over.
    const plan = { folder: folder.path, ...times, lanes: 4, seed, isMemoryCounted: false };
    const { outcomes, faults } = await soak(plan, (line) => lines.push(line));
    lines.push(JSON.stringify(Object.fromEntries(outcomes)));
    expect(faults).toEqual([]);
  },
);
