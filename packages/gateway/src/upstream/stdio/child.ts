/** One process of a program: bound to this process, its last words for people kept, and ended with all of its children. */
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startBound, tellGroup } from '@parley/kit/programs';
import { StderrRing } from './stderr-ring.ts';
import type { ProgramTimes } from './times.ts';
import { PROGRAM_TIMES } from './times.ts';

/** What is started. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a process ended. */
export interface Exit {
  /** Null: by a signal, or it never ran. */
  readonly code: number | null;
  /** True: it said nothing, and its exit code is that of a shell which finds no such program. */
  readonly wasNeverThere: boolean;
}

type EndTimes = Pick<ProgramTimes, 'quietEndMs' | 'termMs'>;

// What was written just before the end is still in the pipe; somebody who holds it open must not hold us up.
const LAST_WORDS_MS = 250;
// After SIGKILL only the kernel can take longer.
const FORCED_END_MS = 1_000;
const NO_SUCH_PROGRAM = new Set<number | null>([126, 127]);

export class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly stderr: StderrRing;
  /** Resolves when it has ended and everything that it said was heard. */
  readonly gone: Promise<Exit>;
  #isGone = false;
  #ending: Promise<void> | undefined;

  /** It is among the running ones until nothing of it is left. Throws when the system starts no process at all. */
  constructor({ command, args, cwd, env }: Start, running: Set<Child>, secrets: readonly string[] = []) {
    const started = startBound({ file: command, args, cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    if (!hasStreams(started)) throw new Error('No process could be started.');
    this.process = started;
    this.stderr = new StderrRing(secrets);
    const { stdin, stdout, stderr } = started;
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
    stderr.on('data', (chunk: Buffer) => this.stderr.add(chunk));
    running.add(this);
    this.gone = this.#untilGone().finally(() => running.delete(this));
  }

  /** True from the end of the process on, also while its last words are still to be heard. */
  get isGone(): boolean {
    return this.#isGone || this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Resolves when the process runs; rejects when there is no folder for it. */
  async started(): Promise<void> {
    await once(this.process, 'spawn');
  }

  /** Asks the program to end by closing its input, then by force, first gently. */
  end(times: EndTimes = PROGRAM_TIMES): Promise<void> {
    return (this.#ending ??= this.#end(times));
  }

  async #end({ quietEndMs, termMs }: EndTimes): Promise<void> {
    this.process.stdin.end();
    if (await this.#goneWithin(quietEndMs)) return;
    this.#signal('SIGTERM');
    if (await this.#goneWithin(termMs)) return;
    this.#signal('SIGKILL');
    await this.#goneWithin(FORCED_END_MS);
  }

  /** Tells the whole group, unless its number may be somebody else's by now. */
  #signal(name: 'SIGTERM' | 'SIGKILL'): void {
    if (!this.isGone) tellGroup(this.process, name);
  }

  async #untilGone(): Promise<Exit> {
    const code = await new Promise<number | null>((resolve) => {
      this.process.once('exit', resolve);
      this.process.once('error', () => {
        if (this.process.pid === undefined) resolve(null);
      });
    });
    // Its group has ended with it: whoever starts a bound program sees to that.
    this.#isGone = true;
    const { stdin, stdout, stderr } = this.process;
    await closedWithin(stdout, LAST_WORDS_MS);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    // A pipe of a process is a socket.
    const hasSpoken = (stdout as Socket).bytesRead > 0;
    const isUnknown = this.process.pid === undefined || NO_SUCH_PROGRAM.has(code);
    return { code, wasNeverThere: isUnknown && !hasSpoken };
  }

  async #goneWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), ms);
    const isGone = await Promise.race([this.gone.then(() => true), late.promise]);
    clearTimeout(timer);
    return isGone;
  }
}

/** False when this process has no descriptor left for them, which Node says only later. */
function hasStreams(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return [child.stdin, child.stdout, child.stderr].every((stream) => stream !== null && stream !== undefined);
}

function closedWithin(stream: ChildProcessWithoutNullStreams['stdout'], ms: number): Promise<void> {
  if (stream.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stream.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
