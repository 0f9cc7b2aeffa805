/** A short soak of the gateway; `npm run soak` is the long one. */
import { beforeAll, expect, onTestFailed, test } from 'vitest';
import { soak } from '../soak/soak.ts';
import { ensureBuilt } from './build.ts';
import { scratchFolder } from './parley.ts';

beforeAll(ensureBuilt);

test(
  'upstreams that come and go leave neither memory, descriptors, programs nor sessions behind',
  { timeout: 240_000 },
  async () => {
    using folder = scratchFolder();
    const lines: string[] = [];
    onTestFailed(() => {
      process.stderr.write(`${lines.join('\n')}\n`);
    });
    const seed = Math.floor(Math.random() * 2 ** 32);
    lines.push(`seed ${seed}`);
    const plan = { folder: folder.path, warmMs: 3_000, runMs: 6_000, settleMs: 90_000, lanes: 8, seed };
    const { outcomes, faults } = await soak(plan, (line) => lines.push(line));
    lines.push(JSON.stringify(Object.fromEntries(outcomes)));
    expect(faults).toEqual([]);
  },
);
