/**
 * `npm run faults`: the product under the faults that docs/faults.md names, each held against what is promised.
 *
 *   npm run faults -- [kill] --rounds 100 --engine sqlite|postgres [--replicas N] [--seed N]
 *   npm run faults -- replicas            three servers: any serves any task, one is frozen for a minute
 *   npm run faults -- database [--only restart,full] [--engine sqlite|postgres]
 *   npm run faults -- rolling             three servers replaced twice under 500 requests a second
 *   npm run faults -- clocks              clocks apart, set back, set forward
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../product/build.ts';
import { startPostgres } from '../support/postgres.ts';
import { THROUGH_ANY } from './any-replica.ts';
import { libfaketime, NO_LIBFAKETIME } from './clock.ts';
import {
  createDatabase,
  NO_DISK,
  POSTGRES_FAULTS,
  postgresFaults,
  sqliteDiskFull,
} from './database-faults.ts';
import { freezeOne, startThree } from './frozen-replica.ts';
import { killRounds } from './kill-rounds.ts';
import { rollingRestart } from './rolling-restart.ts';
import { clocksApart, clockSet } from './set-clocks.ts';
import type { EventClockReport } from './event-clocks.ts';
import { eventsApart, eventsSetBack } from './event-clocks.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    engine: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string' },
    replicas: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    only: { type: 'string' },
    hold: { type: 'string' },
    rate: { type: 'string', default: '500' },
    creators: { type: 'string', default: '8' },
    lease: { type: 'string' },
  },
});

/** Where a part keeps its data. */
interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** A folder and a database for each of several installations. */
  another(engine: string): Promise<{ dataDir: string; databaseUrl: string | undefined }>;
}

/** What a durable server needs; processes die here, and sometimes the server itself. */
const DURABLE = { settings: { synchronous_commit: 'on', full_page_writes: 'on', fsync: 'on' } };
const MOST_SLOWER = 2;

const say = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`);
const wrong: string[] = [];

/** Prints what came of a part, and remembers what should not have. */
function judge(what: string, report: object, isRight: boolean): void {
  say(`${what}: ${isRight ? 'as promised' : 'NOT AS PROMISED'} ${JSON.stringify(report)}`);
  if (!isRight) wrong.push(what);
}

const isEmpty = (...lists: readonly (readonly unknown[])[]) => lists.every(({ length }) => length === 0);

const PARTS: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  async kill({ dataDir, databaseUrl }) {
    const isPostgres = values.engine === 'postgres';
    say(`seed ${values.seed}`);
    const report = await killRounds({
      dataDir,
      databaseUrl: isPostgres ? databaseUrl : undefined,
      rounds: Number(values.rounds ?? 100),
      replicas: Number(values.replicas ?? (isPostgres ? 3 : 1)),
      seed: Number(values.seed),
      leaseMs: Number(values.lease ?? 2_000),
      say,
    });
    judge(`kill -9 on ${values.engine}`, report, isEmpty(report.faults, report.wrongAnswers));
  },

  async replicas(place) {
    await using bed = await startThree({ ...place, leaseMs: Number(values.lease ?? 30_000) });
    for (const [what, doing] of Object.entries(THROUGH_ANY)) {
      const failures: string[] = [];
      for (let time = 0; time < 30; time += 1)
        await doing(bed).catch((error: unknown) => failures.push(String(error)));
      judge(what, { times: 30, failures }, failures.length === 0);
    }
    const freezeMs = Number(values.hold ?? 60) * 1000;
    const creators = Number(values.creators);
    const report = await freezeOne(bed, { freezeMs, beforeMs: 20_000, creators });
    const { before, during, held, takenOver, isBack } = report;
    const isRight =
      isEmpty(report.wrongAnswers, report.changed, report.missing, report.repeated, report.failed) &&
      isEmpty(report.stuck) &&
      isBack &&
      held > 0 &&
      takenOver === held;
    judge('one of three servers is frozen', report, isRight);
    const slower = during.count === 0 ? Infinity : during.p99Ms / before.p99Ms;
    judge(
      'p99 of creations at the others',
      { before: before.p99Ms, during: during.p99Ms, slower },
      slower <= MOST_SLOWER,
    );
  },

  async database({ dataDir }) {
    const faults = values.only?.split(',') ?? Object.keys(POSTGRES_FAULTS);
    const options = { dataDir, faults, aroundMs: 3_000, leaseMs: Number(values.lease ?? 30_000), say };
    const reports =
      values.engine === 'postgres'
        ? await postgresFaults({ ...options, holdMs: Number(values.hold ?? 30) * 1000 })
        : [await sqliteDiskFull({ ...options, holdMs: Number(values.hold ?? 10) * 1000, faults: ['full'] })];
    for (const report of reports) {
      if (report === undefined) say(NO_DISK);
      else {
        const { fault, isAlive, missing, repeated, failed, stuck } = report;
        const isRight = isAlive && isEmpty(report.wrongAnswers, missing, repeated, failed, stuck);
        judge(`the database: ${fault}`, report, isRight);
      }
    }
  },

  async rolling(place) {
    const options = { ...place, perSecond: Number(values.rate), rounds: Number(values.rounds ?? 2) };
    const report = await rollingRestart({ ...options, say });
    judge('rolling restart', report, Object.keys(report.failures).length === 0);
    if (report.perSecond < options.perSecond * 0.9)
      say(`The machine answered ${report.perSecond} requests a second, and no more.`);
  },

  async clocks({ another }) {
    if (libfaketime() === undefined) say(NO_LIBFAKETIME);
    const limits = { leaseMs: Number(values.lease ?? 6_000), takeoverMs: 1_000 };
    // As by default: a lease is longer than the nearer clocks are apart.
    const usual = { leaseMs: 30_000, takeoverMs: 5_000 };
    const apart = await clocksApart({ ...(await another('postgres')), ...usual }, [0, 25_000, 60_000]);
    judge('clocks 25 s and 60 s apart', apart, isRightTime(apart) && apart.twice.length === 0);
    for (const engine of ['sqlite', 'postgres'])
      for (const setting of ['back an hour', 'forward a day'] as const)
        for (const dies of [false, true]) {
          const report = await clockSet({ ...(await another(engine)), ...limits }, setting, { dies });
          const what = `${engine}: the clock is set ${setting}${dies ? ' while the server is down' : ''}`;
          judge(what, report, isRightTime(report) && (dies || report.twice.length === 0));
        }
    const ahead = await eventsApart({ ...(await another('postgres')), ...usual }, 25_000);
    judge('webhooks and schedules of a server 25 s ahead', ahead, areOnTime(ahead));
    for (const engine of ['sqlite', 'postgres']) {
      const events = await eventsSetBack({ ...(await another(engine)), ...limits });
      judge(`${engine}: webhooks and schedules while the clock is set back`, events, areOnTime(events));
    }
  },
};

function isRightTime(report: Awaited<ReturnType<typeof clocksApart>>): boolean {
  return isEmpty(report.missing, report.repeated, report.failed, report.stuck);
}

function areOnTime({ late, early, double }: EventClockReport): boolean {
  return isEmpty(late, early, double);
}

let installations = 0;

async function another(engine: string): Promise<{ dataDir: string; databaseUrl: string | undefined }> {
  const name = `another_${(installations += 1)}`;
  const folder = join(dataDir, name);
  mkdirSync(folder);
  if (engine === 'sqlite') return { dataDir: folder, databaseUrl: undefined };
  return { dataDir: folder, databaseUrl: await createDatabase(postgres, name) };
}

const [name = 'kill'] = positionals;
const part = PARTS[name];
if (part === undefined) {
  process.stderr.write(`There is no part "${name}". Use one of ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(2);
}
await ensureBuilt();
const dataDir = mkdtempSync(join(tmpdir(), 'parley-faults-'));
// Programs of the tests are sources, which every process would strip of their types again.
process.env['NODE_COMPILE_CACHE'] ??= join(dataDir, 'compiled');
const postgres = await startPostgres(DURABLE);
try {
  await part({ dataDir, databaseUrl: postgres.url, another });
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
say(wrong.length === 0 ? 'all as promised' : `not as promised: ${wrong.join('; ')}`);
process.exit(wrong.length === 0 ? 0 : 1);
