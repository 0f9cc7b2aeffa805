/** Processes for statements on SQLite: one per file and statement at a time, kept for a while, ended at the deadline. */
import type { ChildProcess } from 'node:child_process';
import type { SqlResult } from './databases.ts';
import { SqlFault, TIMED_OUT } from './databases.ts';
import type { ProgramAnswer, ProgramRequest } from './sqlite-program.ts';

const PROGRAM = import.meta.url.endsWith('.ts') ? './sqlite-program.ts' : './database-program.js';
const IDLE_MS = 15_000;
const TOO_MUCH = 'The statement needs more memory than it may have. Ask for less.';

/** Runs statements in processes of their own. */
export class SqliteProcesses {
  readonly #idle = new Map<string, ChildProcess[]>();
  readonly #all = new Set<ChildProcess>();

  /** Runs one statement; the process is gone when it did not end in time. */
  async run(request: ProgramRequest, signal: AbortSignal): Promise<SqlResult> {
    signal.throwIfAborted();
    const child = this.#idle.get(request.file)?.pop() ?? (await this.#start());
    child.ref();
    child.channel?.ref();
    if (signal.aborted) await kill(child);
    signal.throwIfAborted();
    const answer = await this.#ask(child, request, signal);
    this.#keep(request.file, child);
    if (answer.ok) return answer.result;
    throw new SqlFault(answer.code, answer.message);
  }

  /** Ends the processes of a file, so that nothing holds it. */
  async end(file: string): Promise<void> {
    const idle = this.#idle.get(file) ?? [];
    this.#idle.delete(file);
    await Promise.all(idle.map(kill));
  }

  async close(): Promise<void> {
    this.#idle.clear();
    await Promise.all([...this.#all].map(kill));
  }

  async #start(): Promise<ChildProcess> {
    // Loaded late: most servers never run such a statement.
    const { fork } = await import('node:child_process');
    const child = fork(new URL(PROGRAM, import.meta.url), {
      // Nothing of the environment or the descriptors of the server goes along.
      env: {},
      execArgv: ['--max-old-space-size=128', '--no-warnings'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#all.add(child);
    child.once('exit', () => this.#all.delete(child));
    child.on('error', () => undefined);
    // The time of a statement begins when there is somebody to run it.
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new SqlFault('unavailable', 'The database did not start. Try again.'));
      child.once('exit', fail);
      child.once('message', () => {
        child.off('exit', fail);
        resolve();
      });
    });
    return child;
  }

  #ask(child: ChildProcess, request: ProgramRequest, signal: AbortSignal): Promise<ProgramAnswer> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        child.off('message', answered);
        child.off('exit', gone);
        act();
      };
      const answered = (answer: ProgramAnswer) => settle(() => resolve(answer));
      const gone = () => settle(() => reject(new SqlFault('too_large', TOO_MUCH)));
      const stop = (reason: unknown) => {
        child.kill('SIGKILL');
        settle(() => reject(reason));
      };
      const cancel = () => stop(signal.reason);
      const timer = setTimeout(() => stop(new SqlFault('timeout', TIMED_OUT)), request.timeoutMs);
      signal.addEventListener('abort', cancel, { once: true });
      child.on('message', answered);
      child.once('exit', gone);
      child.send(request, (error) => {
        if (error !== null) stop(new SqlFault('unavailable', 'The database did not start. Try again.'));
      });
    });
  }

  #keep(file: string, child: ChildProcess): void {
    const idle = this.#idle.get(file) ?? [];
    idle.push(child);
    this.#idle.set(file, idle);
    // One that waits keeps no program alive.
    child.unref();
    child.channel?.unref();
    setTimeout(() => this.#drop(file, child), IDLE_MS).unref();
  }

  #drop(file: string, child: ChildProcess): void {
    const idle = this.#idle.get(file);
    const place = idle?.indexOf(child) ?? -1;
    if (idle === undefined || place === -1) return;
    idle.splice(place, 1);
    if (idle.length === 0) this.#idle.delete(file);
    child.kill('SIGKILL');
  }
}

/** Ends a process and waits until it is gone. */
function kill(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    // It was let go of while it was idle; now its end is waited for.
    child.ref();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
