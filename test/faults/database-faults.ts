/** Owns the faults of a database under load: away, cut off, without a place, full, locked, read-only; and what comes of each. */
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../support/postgres.ts';
import { serverUser, startPostgres } from '../support/postgres.ts';
import type { Verdict } from './acknowledged.ts';
import type { FaultBed } from './fault-bed.ts';
import { startFaultBed } from './fault-bed.ts';
import { exchange } from './fault-client.ts';
import { until } from './fleet.ts';
import { startLoad, wrongAnswers } from './mixed-load.ts';
import type { SmallDisk } from './small-disk.ts';
import { mountSmallDisk } from './small-disk.ts';

/** What a fault is struck with. */
interface Struck {
  readonly postgres: PostgresServer;
  readonly disk: SmallDisk | undefined;
  /** How long it lasts. */
  readonly holdMs: number;
}

type Strike = (struck: Struck) => Promise<void>;

/** What came of one fault. */
export interface FaultReport extends Verdict {
  readonly fault: string;
  /** Whether the process that was there before is still there. */
  readonly isAlive: boolean;
  /** Answers that are neither success nor a refusal that says to come again. */
  readonly wrongAnswers: readonly string[];
  readonly tally: Readonly<Record<string, number>>;
  /** From the end of the fault until all was at rest again. */
  readonly restMs: number;
}

const DATABASE = 'parley_faults';
const DISK_MEBIBYTES = 96;
const MAX_CONNECTIONS = 40;
const LANES = { task: 6, post: 2, event: 1, note: 1 };
const CUT_EVERY_MS = 200;
const STATEMENT_TIMEOUT_MS = 500;
const BACK_MS = 60_000;
const SETTLE_MS = 90_000;

const NOTHING_WRONG: Verdict = { missing: [], repeated: [], failed: [], stuck: [] };

const CUT_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = '${DATABASE}' and pid <> pg_backend_pid()`;

/** The faults of PostgreSQL, by the name that a command line gives them. */
export const POSTGRES_FAULTS: Readonly<Record<string, Strike>> = {
  async restart({ postgres }) {
    await postgres.halt('orderly');
    await postgres.resume();
  },
  async crash({ postgres }) {
    await postgres.halt('at once');
    await postgres.resume();
  },
  async stopped({ postgres, holdMs }) {
    await postgres.halt('orderly');
    await delay(holdMs);
    await postgres.resume();
  },
  async cut({ postgres, holdMs }) {
    await onServer(postgres, async (client) => {
      const byMs = performance.now() + holdMs;
      while (performance.now() < byMs) {
        await client.query(CUT_OTHERS);
        await delay(CUT_EVERY_MS);
      }
    });
  },
  async exhausted({ postgres, holdMs }) {
    const hogs: pg.Client[] = [];
    await onServer(postgres, async (client) => {
      await client.query(CUT_OTHERS);
      // Whoever was cut off comes back at the same time: both take until nobody gets one any more.
      for (let refused = 0; refused < 20;) {
        const hog = new pg.Client({ connectionString: postgres.url });
        hog.on('error', () => undefined);
        const isIn = await hog.connect().then(
          () => true,
          () => false,
        );
        if (isIn) hogs.push(hog);
        else {
          refused += 1;
          await client.query(CUT_OTHERS);
        }
      }
      await delay(holdMs);
    });
    await Promise.all(hogs.map((hog) => hog.end()));
  },
  async full({ disk, holdMs }) {
    disk?.fill();
    await delay(holdMs);
    disk?.free();
  },
  async locked({ postgres, holdMs }) {
    const change = (what: string) =>
      onServer(postgres, async (client) => {
        await client.query(`alter database ${DATABASE} ${what}`);
        await client.query(CUT_OTHERS);
      });
    // An operator's own limit, which ends statements that a lock holds up.
    await change(`set statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    await onServer({ url: addressOf(postgres) }, async (client) => {
      await client.query('set statement_timeout = 0');
      await client.query('begin; lock table tasks in access exclusive mode');
      await delay(holdMs);
      await client.query('commit');
    });
    await change('reset statement_timeout');
  },
  async 'read-only'({ postgres, holdMs }) {
    const change = (value: string) =>
      onServer(postgres, async (client) => {
        await client.query(`alter system set default_transaction_read_only = ${value}`);
        await client.query('select pg_reload_conf()');
      });
    await change('on');
    await delay(holdMs);
    await change('off');
  },
};

const addressOf = ({ url }: Pick<PostgresServer, 'url'>, name = DATABASE) =>
  url.replace(/\/postgres$/, `/${name}`);

/** Makes an empty database and gives its address. */
export async function createDatabase(postgres: PostgresServer, name = DATABASE, more = ''): Promise<string> {
  await onServer(postgres, (client) => client.query(`create database ${name} ${more}`));
  return addressOf(postgres, name);
}

async function onServer(
  { url }: Pick<PostgresServer, 'url'>,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('set default_transaction_read_only = off');
    await work(client);
  } finally {
    await client.end();
  }
}

export interface DatabaseFaultOptions {
  readonly dataDir: string;
  /** Which of them, in this order. */
  readonly faults: readonly string[];
  readonly holdMs: number;
  /** How long the load runs before and after each. */
  readonly aroundMs: number;
  readonly leaseMs: number;
  /** Looks for everything after the last fault alone, which is quicker, and does not say which of them lost it. */
  readonly isCheckedOnce?: boolean;
  say?(line: string): void;
}

/** Strikes a PostgreSQL of its own, one fault after the other, under one server that has to live through them all. */
export async function postgresFaults(options: DatabaseFaultOptions): Promise<FaultReport[]> {
  // A server that dies must not have told of what it had not written; the disk itself does not fail here.
  const settings = { synchronous_commit: 'on', full_page_writes: 'on', max_connections: MAX_CONNECTIONS };
  const postgres = await startPostgres({ settings });
  // The user of the server has to find its disk in there.
  chmodSync(options.dataDir, 0o755);
  const disk = mountSmallDisk(join(options.dataDir, 'disk'), DISK_MEBIBYTES, serverUser());
  try {
    const small = `create tablespace small location '${disk?.path}'`;
    if (disk !== undefined) await onServer(postgres, (client) => client.query(small));
    const databaseUrl = await createDatabase(postgres, DATABASE, disk && 'tablespace small');
    await using bed = await startFaultBed({ ...options, databaseUrl, replicas: 1 });
    const reports: FaultReport[] = [];
    for (const fault of options.faults) {
      const strike = POSTGRES_FAULTS[fault];
      if (strike === undefined) throw new Error(`There is no fault "${fault}".`);
      if (fault === 'full' && disk === undefined) options.say?.(NO_DISK);
      else reports.push(await tried(bed, fault, () => strike({ ...options, postgres, disk }), options));
    }
    return reports;
  } finally {
    await postgres.stop();
    disk?.[Symbol.dispose]();
  }
}

/** What is said where a disk cannot be mounted. */
export const NO_DISK = 'full: not tried, since this user may not mount a disk. Run it as root.';

/** Fills the disk of a SQLite folder; undefined where that cannot be tried. */
export async function sqliteDiskFull(options: DatabaseFaultOptions): Promise<FaultReport | undefined> {
  const folder = join(options.dataDir, 'disk');
  const disk = mountSmallDisk(folder, DISK_MEBIBYTES);
  if (disk === undefined) return undefined;
  try {
    await using bed = await startFaultBed({
      ...options,
      dataDir: join(folder, 'data'),
      effects: join(options.dataDir, 'effects.txt'),
      replicas: 1,
    });
    const strike = async () => {
      disk.fill();
      await delay(options.holdMs);
      disk.free();
    };
    return await tried(bed, 'full', strike, options);
  } finally {
    disk[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tried(
  bed: FaultBed,
  fault: string,
  strike: () => Promise<void>,
  { aroundMs, say, faults, isCheckedOnce }: DatabaseFaultOptions,
): Promise<FaultReport> {
  const server = bed.fleet.servers[0];
  if (server === undefined) throw new Error('There is no server.');
  // Not through the balancer, which sends nothing to a server that is not ready: its own answers count.
  const door = { url: server.url, key: bed.door.key };
  const load = startLoad(bed, { lanes: LANES, door: () => door });
  await delay(aroundMs);
  await strike();
  const overMs = performance.now();
  const isReady = async () => {
    const { status } = await exchange(door, { path: '/ready' });
    return status === 200;
  };
  // One that does not come back answers the load after this with refusals, and leaves its tasks where they are.
  await until(`ready after ${fault}`, () => isReady().catch(() => false), BACK_MS).catch(() => undefined);
  await delay(aroundMs);
  await load.stop();
  const isDue = isCheckedOnce !== true || fault === faults.at(-1);
  const verdict = isDue ? await bed.settled(SETTLE_MS) : NOTHING_WRONG;
  const report = {
    fault,
    isAlive: server.child.exitCode === null && server.child.signalCode === null,
    ...verdict,
    wrongAnswers: wrongAnswers(load, ['done', 'unavailable', 'rate_limited']),
    tally: Object.fromEntries(load.tally),
    restMs: Math.round(performance.now() - overMs),
  };
  say?.(JSON.stringify(report));
  return report;
}
