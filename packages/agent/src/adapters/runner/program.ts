/** One program that runs an agent: started without a shell in a group of its own, its output bounded, ended with all of its children. */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { startBound, tellGroup } from '@parley/kit/programs';

export interface Program {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly signal: AbortSignal;
}

export interface ProgramEnd {
  /** Null when it was ended by a signal, or could not be started. */
  readonly exitCode: number | null;
  /** What it wrote, up to the limit. */
  readonly output: string;
}

/** More is read and let go, so that a program that talks a lot is not held up by it. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
const GRACE_MS = 1000;

/** Runs a program to its end, and returns when nothing of its group is left. */
export type RunProgram = (program: Program) => Promise<ProgramEnd>;

export const runProgram: RunProgram = async (program) => {
  if (program.signal.aborted) return { exitCode: null, output: '' };
  const { command, cwd, env } = program;
  const [file, ...args] = command;
  const stdio = ['pipe', 'pipe', 'ignore'] as const;
  // Both pipes were asked for.
  const child = startBound({ file, args, cwd, env, stdio }) as Child;
  for (const stream of [child.stdin, child.stdout]) stream.on('error', () => undefined);
  return untilEnd(child, program);
};

type Child = ChildProcessByStdio<Writable, Readable, null>;

async function untilEnd(child: Child, { input, signal }: Program): Promise<ProgramEnd> {
  const ended = Promise.withResolvers<number | null>();
  child.on('error', () => ended.resolve(null));
  child.on('exit', (code) => ended.resolve(code));
  const written = collect(child.stdout);
  child.stdin.end(input);
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    tellGroup(child, 'SIGTERM');
    timer = setTimeout(() => tellGroup(child, 'SIGKILL'), GRACE_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const exitCode = await ended.promise;
    clearTimeout(timer);
    // Whoever left the group may hold the output open.
    timer = setTimeout(() => child.stdout.destroy(), GRACE_MS);
    return { exitCode, output: await written() };
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
    child.stdout.destroy();
  }
}

/** Keeps the beginning of what is written; the result waits for the rest that is on its way. */
function collect(stream: Readable): () => Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const closed = Promise.withResolvers<void>();
  stream.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, MAX_OUTPUT_BYTES - sizeBytes);
    if (kept.length > 0) chunks.push(kept);
    sizeBytes += kept.length;
  });
  stream.on('close', () => closed.resolve());
  return async () => {
    await closed.promise;
    // A character that the limit cut in two is left out.
    return new TextDecoder().decode(Buffer.concat(chunks), { stream: true });
  };
}
