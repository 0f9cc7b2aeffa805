/** Owns P8: memory of an idle server, and of one that has answered a million calls. */
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDescriptors, residentBytes } from './cpu.ts';
import { pinned } from './machine.ts';
import type { Method } from './machine.ts';
import type { ServerProcess } from './server-process.ts';
import { callOnce2025 } from './soak.ts';
import type { Soak, SoakResult } from './soak.ts';
import { checkedExchange } from './wire.ts';

/** One look at a server's memory, after garbage collection. */
export interface MemorySample {
  calls: number;
  rssMb: number;
  descriptors: number | null;
  timers: number | null;
}

/** Memory before and after the long load. */
export interface FlatMemory {
  early: MemorySample;
  late: MemorySample;
  load: SoakResult[];
}

const run = promisify(execFile);
const soakScript = fileURLToPath(new URL('soak.ts', import.meta.url));
const SETTLE_MS = 500;

/** Resident memory in MB of a server at rest, once both eras have been used. */
export async function measureIdle(server: ServerProcess, toolCount: number): Promise<number> {
  const { url, key } = server.ready;
  await checkedExchange({ url, key, kind: 'call', toolCount });
  await checkedExchange({ url, key, kind: 'list', toolCount });
  await callOnce2025(url, key);
  await pause(SETTLE_MS);
  const bytes = residentBytes(server.pid);
  return bytes === undefined ? (await sample(server, 0)).rssMb : megabytes(bytes);
}

/** Loads a server with `lateCalls` in all and compares its memory with that at `earlyCalls`. */
export async function measureFlat(
  server: ServerProcess,
  { earlyCalls, lateCalls }: { earlyCalls: number; lateCalls: number },
  method: Method,
  progress: (line: string) => void,
): Promise<FlatMemory> {
  const { url, key } = server.ready;
  progress(`memory: ${earlyCalls} calls`);
  const first = await runSoak({ url, key, calls: earlyCalls, connections: 16 }, method);
  const early = await sample(server, earlyCalls);
  progress(`memory: ${lateCalls} calls`);
  const second = await runSoak({ url, key, calls: lateCalls - earlyCalls, connections: 16 }, method);
  const late = await sample(server, lateCalls);
  return { early, late, load: [first, second] };
}

async function runSoak(options: Soak, method: Method): Promise<SoakResult> {
  const args = [soakScript, JSON.stringify(options)];
  const { stdout } = await run(...pinned(method.cores?.generator, process.execPath, args));
  // the line is printed by our own script
  return JSON.parse(stdout) as SoakResult;
}

async function sample(server: ServerProcess, calls: number): Promise<MemorySample> {
  const descriptors = await settledDescriptors(server.pid);
  const { rssBytes, timers } = await server.ask('memory');
  return {
    calls,
    rssMb: megabytes(Number(rssBytes)),
    descriptors: descriptors ?? null,
    timers: typeof timers === 'number' ? timers : null,
  };
}

async function settledDescriptors(pid: number): Promise<number | undefined> {
  let last = openDescriptors(pid);
  // closed connections leave the table a moment after the client has gone
  for (let equalReads = 0, reads = 0; equalReads < 4 && reads < 40; reads++) {
    await pause(SETTLE_MS);
    const current = openDescriptors(pid);
    equalReads = current === last ? equalReads + 1 : 0;
    last = current;
  }
  return last;
}

function megabytes(bytes: number): number {
  return Number((bytes / 1e6).toFixed(1));
}
