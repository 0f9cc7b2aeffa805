/** Runs a small program as a second process of a test, and reads what it prints line by line. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A running second process. */
export interface ChildProgram {
  readonly process: ChildProcess;
  /** What it prints, as it comes. */
  readonly lines: AsyncIterableIterator<string>;
  /** Its exit code, or null when a signal ended it. */
  readonly exit: Promise<number | null>;
}

/** Starts `file` with its settings as one JSON argument. */
export function startProgram(file: string, settings: unknown): ChildProgram {
  const child = spawn(process.execPath, [file, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit').then(([code]: Array<number | null>) => code ?? null);
  return { process: child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), exit };
}
