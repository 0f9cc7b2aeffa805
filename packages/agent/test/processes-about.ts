/** Processes that were started with a text among their arguments, for tests that look at what is left of them. */
import { readdirSync, readFileSync } from 'node:fs';

export interface SeenProcess {
  readonly pid: number;
  /** The time of the processor that it has had. */
  readonly cpuMs: number;
}

const TICK_MS = 10;

export function processesAbout(text: string): SeenProcess[] {
  const found: SeenProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)) continue;
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the program, which may hold anything, ends with the last bracket.
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
        .map(Number);
      found.push({ pid: Number(name), cpuMs: ((user ?? 0) + (system ?? 0)) * TICK_MS });
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}
