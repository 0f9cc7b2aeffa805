/** The product as its users have it: the real command line in processes of its own, over scratch folders. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './build.ts';

/** The launcher that users start. */
export const LAUNCHER = join(ROOT, 'apps/server/bin/parley.js');

/** How a command is started. */
export interface RunOptions {
  /** The program behind the command line; absent: the launcher. */
  readonly program?: string;
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Gives it a process group of its own, as a terminal does. */
  readonly detached?: boolean;
  /** What the command reads on stdin. */
  readonly input?: string;
}

/** How a command ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running process and all it has written. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** The first match in what it wrote so far or writes later; throws when it ends without. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends with the process. */
  readonly ended: Promise<Ended>;
}

/** A scratch folder; `using folder = scratchFolder()` removes it at the end of the block. */
export function scratchFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'parley-product-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const children = new Set<ChildProcessWithoutNullStreams>();

// A test that fails half way leaves no process behind.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a command without the variables of whoever runs the tests. */
export function spawnParley(args: readonly string[], options: RunOptions = {}): Running {
  const { program = LAUNCHER, node = process.execPath, env = {}, cwd = tmpdir(), detached = false } = options;
  // The launcher keeps compiled code by itself; a program of the tests would compile all sources at every start.
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const own = program === LAUNCHER ? { PATH } : { PATH, NODE_COMPILE_CACHE };
  const child = spawn(node, [program, ...args], {
    cwd,
    detached,
    // Most tests begin on an empty folder, whatever their first command is.
    env: { ...own, HOME: tmpdir(), PARLEY_INIT: '1', ...env },
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (written[stream] += text));
  }
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...written }));
  // A command that ends early closes its stdin; its exit code tells the story.
  child.stdin.on('error', () => undefined);
  if (options.input !== undefined) child.stdin.end(options.input);
  return {
    child,
    ended,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    async until(stream, pattern) {
      for (;;) {
        const match = pattern.exec(written[stream]);
        if (match !== null) return match;
        const isOver = await Promise.race([
          once(child[stream], 'data').then(() => false),
          ended.then(() => true),
        ]);
        if (isOver && !pattern.test(written[stream])) {
          throw new Error(`parley ${args.join(' ')} ended without ${String(pattern)}: ${written.stderr}`);
        }
      }
    },
  };
}

/** Runs a command to its end. */
export function runParley(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return spawnParley(args, { input: '', ...options }).ended;
}

/** A running server. */
export interface Server extends Running, AsyncDisposable {
  readonly url: string;
  readonly mcp: string;
  readonly data: string;
  /** The owner key; empty when another replica made the owner. */
  readonly key: string;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** Starts a server on a free port and waits for its ready line. */
export async function startParley(
  data: string,
  { args = [], ...options }: RunOptions & { readonly args?: readonly string[] } = {},
): Promise<Server> {
  const running = spawnParley(['start', '--port', '0', '--data', data, '--json', ...args], options);
  const [line] = await running.until('stdout', /.*\n/);
  const ready = JSON.parse(line) as { url: string; mcp: string; ownerKeyFile: string };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (running.child.exitCode === null) running.child.kill(signal);
    return running.ended;
  };
  return {
    ...running,
    url: ready.url,
    mcp: ready.mcp,
    data,
    key: existsSync(ready.ownerKeyFile) ? readFileSync(ready.ownerKeyFile, 'utf8').trim() : '',
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}
