/**
 * `npm run soak`: the gateway under clients of both eras while upstreams come and go, and what it still holds when all
 * of it is taken away. `--minutes 10`, `--lanes 12`; `--seed N` repeats the choices of an earlier run.
 */
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../product/build.ts';
import { scratchFolder } from '../product/parley.ts';
import { BUDGET, shown, soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    lanes: { type: 'string', default: '12' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
  },
});
const say = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`);
const runMs = Number(values.minutes) * 60_000;

await ensureBuilt();
using folder = scratchFolder();
say(`seed ${values.seed}, ${values.minutes} min, ${values.lanes} lanes`);
const { before, peak, after, outcomes, faults } = await soak(
  {
    folder: folder.path,
    // What is loaded or kept on first use is no leak.
    warmMs: Math.min(runMs, 60_000),
    runMs,
    settleMs: 120_000,
    lanes: Number(values.lanes),
    seed: Number(values.seed),
    isMemoryCounted: true,
  },
  say,
);
for (const [outcome, count] of [...outcomes].toSorted(([, a], [, b]) => b - a))
  say(`${String(count).padStart(8)}  ${outcome}`);
say(`start: ${shown(before)}`);
say(`most:  ${shown(peak)}`);
say(`end:   ${shown(after)}`);
say(
  `budget: ${BUDGET.rssMb} MB, ${BUDGET.descriptors} descriptors, ${BUDGET.sessions} sessions, nothing else`,
);
say(faults.length === 0 ? 'Held.' : `Did not hold:\n  ${faults.join('\n  ')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
