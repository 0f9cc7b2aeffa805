/**
 * `npm run bench:engines`: our task engine and others on PostgreSQL, held against the same contract.
 * `--engine NAME` and `--check NAME` choose some; `--rates` measures the rates alone,
 * `--no-rates` leaves them out, `--seconds` and `--rounds` say how long and how often.
 */
import { parseArgs } from 'node:util';
import { ensureEngines, ensureTestTools } from '../../scripts/install-test-tools.ts';
import type { Postgres } from '../postgres.ts';
import { startPostgres } from '../postgres.ts';
import { tableLines } from '../report.ts';
import { median } from '../stdio.ts';
import type { Bed } from './bed.ts';
import { openBed } from './bed.ts';
import { CHECKS } from './checks/index.ts';
import type { Finding } from './checks/check.ts';
import type { Limits } from './contract.ts';
import { LIMITS } from './contract.ts';
import type { EngineName } from './engines.ts';
import { ENGINE_NAMES, PACKAGES } from './engines.ts';
import { manifestOf } from './load.ts';
import type { Rate } from './rates.ts';
import { rateOf } from './rates.ts';

const { values: flags } = parseArgs({
  allowNegative: true,
  options: {
    engine: { type: 'string', multiple: true, default: [...ENGINE_NAMES] },
    check: { type: 'string', multiple: true, default: Object.keys(CHECKS) },
    rates: { type: 'boolean' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
  },
});
const engines = ENGINE_NAMES.filter((name) => flags.engine.includes(name));
const names = flags.rates === true ? [] : Object.keys(CHECKS).filter((name) => flags.check.includes(name));
const isChosen = engines.length > 0 && (names.length > 0 || flags.rates === true);
if (!isChosen) {
  throw new Error(`Choose from ${ENGINE_NAMES.join(', ')} and from ${Object.keys(CHECKS).join(', ')}.`);
}
let databases = 0;
await ensureTestTools();
await ensureEngines();
const postgres = await startPostgres();
if (postgres === undefined)
  throw new Error('There is no PostgreSQL; look at what `npm install` in test/tools says.');
try {
  for (const engine of engines) {
    const name = PACKAGES[engine];
    console.log(name === undefined ? engine : `${engine} ${manifestOf(name).version}`);
  }
  await runChecks(postgres);
  if (flags.rates !== false) await runRates(postgres);
} finally {
  await postgres.stop();
}

async function runChecks(server: Postgres): Promise<void> {
  for (const [index, name] of names.entries()) {
    const check = CHECKS[name]!;
    console.log(`\n${index + 1}. ${check.line}`);
    for (const engine of engines) {
      const { verdict, seen } = await withBed(server, { engine, isSqlite: check.isSqlite === true }, (bed) =>
        check.run(bed).catch((error: unknown): Finding => ({ verdict: 'no', seen: String(error) })),
      );
      console.log(`   ${engine.padEnd(16)} ${verdict.padEnd(8)} ${seen}`);
    }
  }
}

/** The engines by turns, round after round, so that a slower moment of the machine meets all of them. */
async function runRates(server: Postgres): Promise<void> {
  const windowMs = Number(flags.seconds) * 1000;
  for (const [what, limits] of [
    ['with limits for owners and organizations, as far as the engine has them', LIMITS],
    ['without such limits', null],
  ] satisfies [string, Limits | null][]) {
    const rates = new Map<string, Rate[]>();
    for (let round = 0; round < Number(flags.rounds); round += 1) {
      for (const replicas of [1, 2, 3]) {
        for (const engine of engines) {
          const rate = await withBed(server, { engine }, (bed) =>
            rateOf(bed, { replicas, windowMs, limits }),
          );
          const name = `${engine}, ${replicas}`;
          rates.set(name, [...(rates.get(name) ?? []), rate]);
          process.stderr.write(`${name}, ${what}: ${JSON.stringify(rate)}\n`);
        }
      }
    }
    console.log(`\nTasks with one step per second, 16 creators in each replica, ${what}:`);
    const head = [
      'engine, replicas',
      'created',
      'run',
      'lowest',
      'highest',
      'cores of replicas',
      'of database',
    ];
    for (const line of tableLines(head, [...rates].map(rowOf))) console.log(`   ${line}`);
  }
}

/** The medians of all rounds, and how far apart they were. */
function rowOf([name, rounds]: [string, Rate[]]): string[] {
  const middle = (figure: (rate: Rate) => number) =>
    median(rounds.map(figure).toSorted((left, right) => left - right));
  const run = rounds.map(({ runPerSecond }) => runPerSecond);
  return [
    name,
    middle(({ createdPerSecond }) => createdPerSecond).toFixed(0),
    middle(({ runPerSecond }) => runPerSecond).toFixed(0),
    String(Math.min(...run)),
    String(Math.max(...run)),
    middle(({ replicaCores }) => replicaCores).toFixed(1),
    middle(({ databaseCores }) => databaseCores).toFixed(1),
  ];
}

async function withBed<T>(
  server: Postgres,
  { engine, isSqlite = false }: { engine: EngineName; isSqlite?: boolean },
  work: (bed: Bed) => Promise<T>,
): Promise<T> {
  const url = isSqlite ? '' : await server.database(`engines_${(databases += 1)}`);
  const bed = openBed(engine, url);
  try {
    return await work(bed);
  } finally {
    await bed.close();
  }
}
