/** One process of a program: started without a shell in a group of its own, and ended with all of its children. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';

/** What is started. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const QUIET_END_MS = 2_000;
const TERM_MS = 3_000;

export class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly #running: Set<Child>;
  #ending: Promise<void> | undefined;

  /** It is among the running ones until nothing of it is left. */
  constructor({ command, args, cwd, env }: Start, running: Set<Child>) {
    // Loaded by the first program: most servers start none.
    const { spawn } = process.getBuiltinModule('node:child_process');
    this.process = spawn(command, [...args], { cwd, env, shell: false, detached: true, stdio: 'pipe' });
    this.#running = running;
    const { stdin, stdout, stderr } = this.process;
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
    // Read and let go, so that a program that talks a lot is not held up by it.
    stderr.resume();
    running.add(this);
    this.process.on('error', () => running.delete(this));
  }

  /** Resolves when the program runs; rejects when there is no such program. */
  async started(): Promise<void> {
    await once(this.process, 'spawn');
  }

  /** Asks the program to end by closing its input, then by force, first gently. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    this.process.stdin.end();
    await this.#gone(QUIET_END_MS);
    // What it left behind is in its group, also when the program itself has ended.
    this.signal('SIGTERM');
    await this.#gone(TERM_MS);
    this.signal('SIGKILL');
    for (const stream of [this.process.stdout, this.process.stderr]) stream.destroy();
    this.#running.delete(this);
  }

  /** Tells the whole group. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.process;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch {
      // Nobody is left to be told.
    }
  }

  async #gone(withinMs: number): Promise<boolean> {
    const { exitCode, signalCode, pid } = this.process;
    if (exitCode !== null || signalCode !== null || pid === undefined) return true;
    const gone = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => gone.resolve(false), withinMs);
    const onExit = () => gone.resolve(true);
    this.process.once('exit', onExit);
    const result = await gone.promise;
    clearTimeout(timer);
    this.process.off('exit', onExit);
    return result;
  }
}

/** Ends the groups of what still runs when this process exits; returns how to stop watching. */
export function endAtExit(running: ReadonlySet<Child>): () => void {
  const onExit = () => {
    for (const child of running) child.signal('SIGKILL');
  };
  process.on('exit', onExit);
  return () => process.off('exit', onExit);
}
