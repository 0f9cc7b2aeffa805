/** Owns what /proc tells of other processes: who descends from whom, and the CPU time of the PostgreSQL of a run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { statUs } from '../cpu.ts';

/** One line of `/proc/PID/stat` for each process below another one; nothing where there is no /proc. */
export function statsBelow(ancestor: number): string[] {
  if (!existsSync('/proc/self/stat')) return [];
  const processes = new Map<number, { parent: number; stat: string }>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : undefined;
    // the command name may hold spaces, so fields are counted after its closing bracket
    const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (stat !== undefined) processes.set(Number(name), { parent: Number(parent), stat });
  }
  const isBelow = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent;
    return parent !== undefined && parent > 0 && (parent === ancestor || isBelow(parent));
  };
  return [...processes].filter(([pid]) => isBelow(pid)).map(([, { stat }]) => stat);
}

/** The CPU time in ms that the living processes of our PostgreSQL have used so far. */
export function databaseCpuMs(): number {
  const stats = statsBelow(process.pid).filter((stat) => stat.includes('(postgres)'));
  return stats.reduce((sum, stat) => sum + statUs(stat) / 1000, 0);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // it ended between the list and the look
    return undefined;
  }
}
