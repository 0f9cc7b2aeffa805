/** Owns the faults of time: servers whose clocks are apart, and a clock that is set back an hour or forward a day. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Verdict } from './acknowledged.ts';
import { listTasks } from './acknowledged.ts';
import type { ChoreInput } from './any-replica.ts';
import { startChore } from './any-replica.ts';
import { createClock, HEARD_MS } from './clock.ts';
import type { FaultBed } from './fault-bed.ts';
import { startFaultBed } from './fault-bed.ts';
import { until } from './fleet.ts';

export interface ClockOptions {
  readonly dataDir: string;
  /** Absent: SQLite. */
  readonly databaseUrl?: string | undefined;
  readonly leaseMs: number;
  readonly takeoverMs: number;
  /** Absent: where it is installed. */
  readonly library?: string | undefined;
}

export interface ClockReport extends Verdict {
  /** Steps that more than one process has begun. */
  readonly twice: readonly string[];
  /** From the last change until all was at rest. */
  readonly restMs: number;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const LIMIT_MS = 60_000;
/** What one caller may run at once; more than that waits in the queue. */
const PLACES = 16;
const WAITING = 8;
const SLEEPERS = 4;

/** Servers whose clocks are further apart than a lease is long; each looks for lapsed leases while the others work. */
export async function clocksApart(options: ClockOptions, shiftsMs: readonly number[]): Promise<ClockReport> {
  const { dataDir, takeoverMs, library } = options;
  const clocks = shiftsMs.map((shiftMs, index) => {
    const clock = createClock(join(dataDir, `clock-${index}`), library);
    clock.set(shiftMs);
    return clock;
  });
  await using bed = await startFaultBed({
    ...options,
    replicas: shiftsMs.length,
    isForTasks: true,
    envOf: (index) => clocks[index]?.env ?? {},
  });
  await Promise.all(
    bed.fleet.servers.flatMap(({ url }) =>
      Array.from({ length: 4 }, () =>
        chore(bed, { steps: 2, workMs: 3 * takeoverMs }, { url, key: bed.door.key }),
      ),
    ),
  );
  // Awaited: the bed is gone with this function.
  return await report(bed);
}

/** How the clock is set while tasks run, wait in the queue, sleep, and are left behind by a process that died. */
export type Setting = 'back an hour' | 'forward a day';

const SHIFTS: Readonly<Record<Setting, number>> = { 'back an hour': -HOUR_MS, 'forward a day': DAY_MS };

/** One server whose clock is set while it works; with `dies`, it is killed, and another begins with the new time. */
export async function clockSet(
  options: ClockOptions,
  setting: Setting,
  { dies }: { readonly dies: boolean },
): Promise<ClockReport> {
  const { dataDir, takeoverMs, library } = options;
  const clock = createClock(join(dataDir, 'clock'), library);
  await using bed = await startFaultBed({
    ...options,
    replicas: 1,
    isForTasks: true,
    heldSleepMs: 1,
    envOf: () => clock.env,
  });
  // A server notes how far time has come when it stops, and every ten seconds; this one dies sooner than that.
  if (dies) {
    await bed.fleet.stop(0);
    await bed.fleet.start(0);
  }
  // Longer than it takes until the clock is set, in the middle of which all of this shall be.
  const longMs = HEARD_MS + 3 * takeoverMs;
  const made = (count: number, input: ChoreInput) =>
    Promise.all(Array.from({ length: count }, () => chore(bed, input)));
  const haveBegun = (count: number) => () =>
    new Set(bed.ledger.effects().map(({ mark }) => mark)).size >= count;
  // These sleep in the store.
  await made(SLEEPERS, { steps: 2, napMs: longMs });
  await until('some sleep', haveBegun(SLEEPERS), LIMIT_MS);
  await made(PLACES, { steps: 1, workMs: longMs });
  await until('every place is taken', haveBegun(SLEEPERS + PLACES), LIMIT_MS);
  await made(WAITING, { steps: 2 });
  // What has ended is kept for a day by the clock: it may be gone tomorrow.
  for (const { taskId } of await listTasks(bed.door, 'completed')) bed.ledger.tasks.delete(taskId);
  if (dies) await bed.fleet.kill(0);
  clock.set(SHIFTS[setting]);
  if (dies) await bed.fleet.start(0);
  else await delay(HEARD_MS);
  // New work comes behind what waits, and takes no longer either.
  await chore(bed, { steps: 1 });
  // Awaited: the bed is gone with this function.
  return await report(bed);
}

async function chore(bed: FaultBed, input: ChoreInput, to = bed.door): Promise<string> {
  const { id, mark } = await startChore(bed, input, to);
  bed.ledger.tasks.set(id, { mark, steps: input.steps ?? 1 });
  return id;
}

async function report(bed: FaultBed): Promise<ClockReport> {
  const fromMs = performance.now();
  const verdict = await bed.settled(LIMIT_MS);
  const begun = Map.groupBy(bed.ledger.effects(), ({ mark, step }) => `step ${step} of ${mark}`);
  const twice = [...begun].filter(([, lines]) => lines.length > 1).map(([what]) => what);
  return { ...verdict, twice, restMs: Math.round(performance.now() - fromMs) };
}
