/** Owns what Linux tells of other processes: who descends from whom, and which carry a mark of ours. */
import { readdirSync, readFileSync } from 'node:fs';

/** Processes that run or wait to be buried below another one, at any depth. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const one of allProcesses()) {
    const parent = parentOf(one);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), one]);
  }
  const below = (one: number): number[] =>
    (children.get(one) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

/** Processes with a text in their environment, which whatever they start inherits, whoever becomes its parent. */
export function processesMarked(mark: string): number[] {
  return allProcesses().filter((pid) => read(pid, 'environ')?.includes(mark) === true);
}

/** True while there is a process of that number, a zombie included. */
export function isThere(pid: number): boolean {
  return read(pid, 'stat') !== undefined;
}

function allProcesses(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid));
}

function parentOf(pid: number): number | undefined {
  const line = read(pid, 'stat');
  // The name of the program may hold blanks and brackets, so fields are counted after its last bracket.
  const field = line?.slice(line.lastIndexOf(')') + 2).split(' ')[1];
  return field === undefined ? undefined : Number(field);
}

/** Undefined for one that has just ended, or is another person's. */
function read(pid: number, file: 'stat' | 'environ'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
