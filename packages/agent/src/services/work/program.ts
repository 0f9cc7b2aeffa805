/** Runs one program to its end: in a group of its own, with an environment that is given whole, and a bound on all it takes. */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { startBound, tellGroup } from '@parley/kit/programs';

export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ProgramEnd {
  /** Null: it was ended, or never began. */
  readonly code: number | null;
  /** The end of what it wrote. */
  readonly output: string;
  readonly isLate: boolean;
}

const MAX_OUTPUT = 64 * 1024;
const TERM_MS = 3000;
const CLOSE_MS = 1000;

/** Throws only when the signal fires, and then after the program is gone. */
export async function runProgram(start: ProgramStart): Promise<ProgramEnd> {
  start.signal.throwIfAborted();
  const end = await run(start);
  start.signal.throwIfAborted();
  return end;
}

function run({ command, args, cwd, env, timeoutMs, signal }: ProgramStart): Promise<ProgramEnd> {
  const output = new Tail(MAX_OUTPUT);
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  // Both pipes were asked for.
  const child = startBound({ file: command, args, cwd, env, stdio }) as ChildProcessByStdio<
    null,
    Readable,
    Readable
  >;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('error', () => undefined);
    stream.on('data', (bytes: Buffer) => output.add(bytes));
  }
  return new Promise((resolve) => {
    let isLate = false;
    let killer: NodeJS.Timeout | undefined;
    const stop = () => {
      tellGroup(child, 'SIGTERM');
      killer ??= setTimeout(() => tellGroup(child, 'SIGKILL'), TERM_MS);
    };
    const timer = setTimeout(() => {
      isLate = true;
      stop();
    }, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    const done = (code: number | null) => {
      clearTimeout(timer);
      clearTimeout(killer);
      signal.removeEventListener('abort', stop);
      resolve({ code, output: output.text(), isLate });
    };
    child.once('error', (error) => {
      output.add(Buffer.from(`${command} cannot be started: ${error.message}`));
      // Without a process there is no other end.
      if (child.pid === undefined) done(null);
    });
    child.once('exit', () => {
      // Whoever left the group may hold its output open.
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, CLOSE_MS).unref();
    });
    child.once('close', (code) => done(code));
  });
}

/** The last bytes of a stream. */
class Tail {
  readonly #most: number;
  #bytes = Buffer.alloc(0);

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]).subarray(-this.#most);
  }

  text(): string {
    return this.#bytes.toString('utf8').replaceAll('\0', '');
  }
}
