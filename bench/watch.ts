/** Owns P6: how long a note takes to reach those who watch for it, in one process and across two. */
import { setTimeout as pause } from 'node:timers/promises';
import { bundleScript } from './bundle.ts';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import type { Method } from './machine.ts';
import { inFolder } from './scratch-folder.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

/** Times until the last waiter has answered, over many changes. */
export interface WakeUp {
  /** From the moment the change is asked for, so that its commit counts too. */
  fromChange: Latency;
  /** From the moment the maker knows of the commit; a waiter beside it may know earlier. */
  fromCommit: Latency;
}

/** One waiter, and many at once. */
export interface WakeUps {
  one: WakeUp;
  many: WakeUp;
}

/** Figures that both databases have. */
export interface WatchSpeed {
  oneProcess: WakeUps;
  twoProcesses: WakeUps;
}

/** Everything P6 measures. */
export interface WatchFigures {
  sqlite: WatchSpeed;
  postgres?: WatchSpeed;
}

/** How many waiters `many` means. */
export const MANY_WAITERS = 100;

const WARM_UP_CHANGES = 5;
const SHORT_GAP_MS = 10;
// other processes look at a SQLite file by a clock, and the gaps spread over a whole round of it
const POLL_GAP_MS = 50;

/** Measures P6 on SQLite, and a third of the changes once more on PostgreSQL where there is one. */
export async function measureWatch(
  changes: number,
  { method, databaseUrl }: { method: Method; databaseUrl: string | undefined },
  progress: (line: string) => void,
): Promise<WatchFigures> {
  const script = bundleScript('servers/watch-services.ts');
  progress('watch: SQLite');
  const sqlite = await measureOn(script, [], { changes, otherGapMs: POLL_GAP_MS }, method);
  if (databaseUrl === undefined) return { sqlite };
  progress('watch: PostgreSQL');
  const flags = ['--database-url', databaseUrl];
  const some = { changes: Math.round(changes / 3), otherGapMs: SHORT_GAP_MS };
  const postgres = await measureOn(script, flags, some, method);
  return { sqlite, postgres };
}

async function measureOn(
  script: string,
  databaseFlags: string[],
  { changes, otherGapMs }: { changes: number; otherGapMs: number },
  method: Method,
): Promise<WatchSpeed> {
  return inFolder(async (dataDir) => {
    const flags = ['--data', dataDir, ...databaseFlags];
    const waiter = await startServer(script, flags, method.cores?.server);
    let maker: ServerProcess | undefined;
    try {
      const oneProcess = await wakeUps(waiter, waiter, changes, SHORT_GAP_MS);
      maker = await startServer(script, flags, method.cores?.generator);
      const twoProcesses = await wakeUps(waiter, maker, changes, otherGapMs);
      return { oneProcess, twoProcesses };
    } finally {
      await waiter.stop();
      await maker?.stop();
    }
  });
}

async function wakeUps(
  waiter: ServerProcess,
  maker: ServerProcess,
  changes: number,
  gapMs: number,
): Promise<WakeUps> {
  await maker.ask('open');
  const measured = async (waiters: number) => {
    await wakeMany(waiter, maker, { changes: WARM_UP_CHANGES, waiters, gapMs });
    return wakeMany(waiter, maker, { changes, waiters, gapMs });
  };
  return { one: await measured(1), many: await measured(MANY_WAITERS) };
}

async function wakeMany(
  waiter: ServerProcess,
  maker: ServerProcess,
  { changes, waiters, gapMs }: { changes: number; waiters: number; gapMs: number },
): Promise<WakeUp> {
  const fromChangeMs: number[] = [];
  const fromCommitMs: number[] = [];
  for (let made = 0; made < changes; made++) {
    await waiter.ask(`arm ${waiters}`);
    await pause(Math.random() * gapMs);
    const change = await maker.ask('change');
    const { answeredMs } = await waiter.ask(`answered ${String(change['id'])}`);
    if (!Array.isArray(answeredMs) || answeredMs.length !== waiters) {
      throw new Error(`Not all of ${waiters} watches answered: ${JSON.stringify(answeredMs)}.`);
    }
    const lastMs = Math.max(...answeredMs.map(Number));
    fromChangeMs.push(lastMs - Number(change['askedMs']));
    fromCommitMs.push(lastMs - Number(change['committedMs']));
    await maker.ask('clear');
  }
  return { fromChange: latencyOf(fromChangeMs), fromCommit: latencyOf(fromCommitMs) };
}
