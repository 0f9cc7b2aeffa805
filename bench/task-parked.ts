/** Owns the cost of tasks that wait: CPU, memory and timers of a process that holds thousands of them. */
import { setTimeout as pause } from 'node:timers/promises';
import { cpuTimeUs } from './cpu.ts';
import type { Method } from './machine.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

/** What parked tasks cost. */
export interface ParkedTasks {
  count: number;
  /** Of one core, in a process that does nothing else. */
  cpuPercent: number;
  seconds: number;
  timersBefore: number;
  timersAfter: number;
  /** Resident memory after a collection that gives every free page back. */
  addedMb: number;
  /** Resident memory as the work of parking left it, with the free pages that V8 keeps for more such work. */
  addedAsLeftMb: number;
}

interface Footprint {
  asLeftMb: number;
  neededMb: number;
  timers: number;
}

const IDLE_SECONDS = 5;
const WARM_UP = 500;

/** Parks so many tasks, half asleep and half waiting for an answer, and looks at the process that holds them. */
export async function measureParked(
  script: string,
  dataDir: string,
  count: number,
  method: Method,
): Promise<ParkedTasks> {
  // not pinned, so that collecting garbage does not hold up the parking
  const server = await startServer(script, ['--data', dataDir, '--worker']);
  try {
    await server.ask(`create ${WARM_UP}`);
    await server.ask(`times ${WARM_UP}`);
    const before = await footprint(server);
    await server.ask(`park ${count}`);
    const cpuPercent = await idleCpu(server.pid, method);
    const after = await footprint(server);
    return {
      count,
      cpuPercent,
      seconds: IDLE_SECONDS,
      timersBefore: before.timers,
      timersAfter: after.timers,
      addedMb: tenths(after.neededMb - before.neededMb),
      addedAsLeftMb: tenths(after.asLeftMb - before.asLeftMb),
    };
  } finally {
    await server.stop();
  }
}

async function footprint(server: ServerProcess): Promise<Footprint> {
  const { asLeftBytes, neededBytes, timers } = await server.ask('footprint');
  return {
    asLeftMb: Number(asLeftBytes) / 1e6,
    neededMb: Number(neededBytes) / 1e6,
    timers: Number(timers),
  };
}

async function idleCpu(pid: number, { cpuSource }: Method): Promise<number> {
  const startedMs = performance.now();
  const beforeUs = cpuTimeUs(pid, cpuSource);
  await pause(IDLE_SECONDS * 1000);
  const usedUs = cpuTimeUs(pid, cpuSource) - beforeUs;
  return Number((usedUs / (performance.now() - startedMs) / 10).toFixed(2));
}

function tenths(value: number): number {
  return Number(value.toFixed(1));
}
