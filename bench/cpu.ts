/** Owns what the operating system tells about a process: CPU time, memory, descriptors. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** Where a CPU time came from, best first. */
export type CpuSource = 'schedstat' | 'stat' | 'ps';

const MICROS_PER_TICK = 10_000;

/** The best source of CPU time on this machine. */
export function cpuSource(): CpuSource {
  if (readText(`/proc/${process.pid}/schedstat`)) return 'schedstat';
  return readText(`/proc/${process.pid}/stat`) ? 'stat' : 'ps';
}

/** On-CPU time of all threads of a process so far, in microseconds. */
export function cpuTimeUs(pid: number, source: CpuSource): number {
  if (source === 'schedstat') return schedstatUs(pid);
  if (source === 'stat') return statUs(readText(`/proc/${pid}/stat`) ?? '');
  return clockUs(execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }));
}

function schedstatUs(pid: number): number {
  let totalNs = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const line = readText(`/proc/${pid}/task/${task}/schedstat`);
    totalNs += Number(line?.split(' ')[0] ?? 0);
  }
  return totalNs / 1000;
}

/** User and system time out of a `/proc/PID/stat` line, in microseconds. */
export function statUs(line: string): number {
  // the command name may hold spaces, so fields are counted after its closing bracket
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Microseconds out of a clock such as `1-02:03:04` or `0:03.25`. */
export function clockUs(clock: string): number {
  const [days, rest] = clock.includes('-') ? clock.trim().split('-') : ['0', clock.trim()];
  const seconds = (rest ?? '').split(':').reduce((total, part) => total * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1e6;
}

/** Resident memory of a process in bytes, or undefined where `/proc` is missing. */
export function residentBytes(pid: number): number | undefined {
  const kib = /VmRSS:\s+(\d+)/.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return kib ? Number(kib) * 1024 : undefined;
}

/** How many descriptors a process holds open, or undefined where `/proc` is missing. */
export function openDescriptors(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
