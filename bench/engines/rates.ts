/** Owns the rates: tasks with one trivial step, created by 16 in each of one, two and three replicas, and run meanwhile. */
import type { Bed, Remote } from './bed.ts';
import type { Limits } from './contract.ts';
import { databaseCpuMs } from './processes.ts';

/** What so many replicas did together. */
export interface Rate {
  readonly replicas: number;
  readonly createdPerSecond: number;
  /** Ended in the window, durably. */
  readonly runPerSecond: number;
  /** Cores that the replicas and the database were busy with. */
  readonly replicaCores: number;
  readonly databaseCores: number;
}

const CREATORS = 16;
const WARM_UP_MS = 2000;
const ORGANIZATIONS = Array.from({ length: 8 }, (_, number) => `organization${number}`);

/** Floods for a window, after a shorter one that does not count. */
export async function rateOf(
  bed: Bed,
  { replicas, windowMs, limits }: { replicas: number; windowMs: number; limits: Limits | null },
): Promise<Rate> {
  const options = { limits, organizations: ORGANIZATIONS };
  // one after the other: the first makes the tables, and two of DBOS that do it at once end in a deadlock
  const remotes: Remote[] = [];
  for (let number = 0; number < replicas; number += 1) remotes.push(await bed.start(`r${number}`, options));
  const flood = (ms: number) =>
    Promise.all(
      remotes.map((remote) =>
        remote.ask<{ created: number; cpuMs: number }>({ do: 'flood', creators: CREATORS, ms }),
      ),
    );
  const unfinished = () => remotes[0]!.ask<number>({ do: 'unfinished' });
  await flood(WARM_UP_MS);
  const before = await unfinished();
  const databaseBefore = databaseCpuMs();
  const startedMs = performance.now();
  const made = await flood(windowMs);
  const elapsedMs = performance.now() - startedMs;
  const databaseMs = databaseCpuMs() - databaseBefore;
  const created = made.reduce((sum, one) => sum + one.created, 0);
  const left = (await unfinished()) - before;
  const cpuMs = made.reduce((sum, one) => sum + one.cpuMs, 0);
  return {
    replicas,
    createdPerSecond: Math.round((created / elapsedMs) * 1000),
    runPerSecond: Math.round(((created - left) / elapsedMs) * 1000),
    replicaCores: round(cpuMs / elapsedMs),
    databaseCores: round(databaseMs / elapsedMs),
  };
}

function round(value: number): number {
  return Number(value.toFixed(2));
}
