/** The threads of a sandbox: started on demand, at most so many, each ended after a kill, some runs, or some minutes. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { detach, ToolError } from '@parley/kit';
import { Turns } from '@parley/store';
import type { SandboxLimits } from './limits.ts';
import type { FromWorker, WorkerStart } from './messages.ts';

/** A thread that is lent to one run at a time. */
export interface LentWorker {
  readonly thread: Worker;
  /** Rejects when the thread ends, with the error that ended it where there is one. */
  readonly gone: Promise<never>;
}

interface PooledWorker extends LentWorker {
  runs: number;
  isRetired: boolean;
}

/** Whose run wants a thread. */
export interface Borrower {
  readonly organizationId: string;
  readonly signal: AbortSignal;
}

/** Lends threads. */
export interface WorkerPool {
  /**
   * Lends a thread to a run when its turn comes; organizations share the threads. One that comes back worn, or by an
   * error, is ended, and the next run gets a new one.
   */
  lend<T extends { readonly isWorn: boolean }>(
    borrower: Borrower,
    run: (worker: LentWorker) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

const WORKER_FILE = import.meta.url.endsWith('.ts') ? './worker.ts' : './sandbox-worker.js';
const STACK_MB = 16;

const FULL = 'Too much code of your organization waits already. Try again when some of it is done.';
const LATE = (seconds: number) =>
  `The code was not run: it waited ${seconds} seconds for other code to end. Try again in a moment.`;
const CLOSED = 'The server is stopping. Try again once it has started.';

/** Creates the pool; nothing is loaded or started before the first run. `file` is another program for the threads. */
export function createWorkerPool(
  limits: SandboxLimits,
  file = new URL(WORKER_FILE, import.meta.url),
): WorkerPool {
  const all = new Set<PooledWorker>();
  const idle: PooledWorker[] = [];
  const { workers: places, waiting, waitMs } = limits;
  const turns = new Turns({ places, waiting, waitMs }, (why) => {
    if (why === 'closed') return new ToolError('unavailable', CLOSED);
    return new ToolError('rate_limited', why === 'late' ? LATE(Math.round(waitMs / 1000)) : FULL);
  });
  let compiled: Promise<WebAssembly.Module> | undefined;
  let isClosed = false;

  async function start(): Promise<PooledWorker> {
    const workerData: WorkerStart = { wasmModule: await (compiled ??= compileEngine()), limits };
    if (isClosed) throw new ToolError('unavailable', CLOSED);
    const thread = new Worker(file, {
      workerData,
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: limits.threadHeapMb,
        maxYoungGenerationSizeMb: 16,
        stackSizeMb: STACK_MB,
      },
    });
    const worker: PooledWorker = { thread, gone: goneOf(thread), runs: 0, isRetired: false };
    all.add(worker);
    thread.once('exit', () => forget(worker));
    await Promise.race([readyOf(thread), worker.gone]);
    const timer = setTimeout(() => retire(worker), limits.workerAgeMs).unref();
    thread.once('exit', () => clearTimeout(timer));
    thread.unref();
    return worker;
  }

  function forget(worker: PooledWorker): void {
    all.delete(worker);
    const index = idle.indexOf(worker);
    if (index !== -1) idle.splice(index, 1);
  }

  /** Ends a thread that is idle; one that is lent is ended when it comes back. */
  function retire(worker: PooledWorker): void {
    worker.isRetired = true;
    if (idle.includes(worker)) end(worker);
  }

  function end(worker: PooledWorker): void {
    forget(worker);
    // It cannot fail: what the thread did until then is nobody's any more.
    detach(worker.thread.terminate(), () => undefined);
  }

  function takeBack(worker: PooledWorker, isWorn: boolean): void {
    worker.runs += 1;
    if (!all.has(worker)) return;
    if (isWorn || worker.isRetired || isClosed || worker.runs >= limits.runsPerWorker) end(worker);
    else idle.push(worker);
  }

  return {
    lend: (borrower, run) =>
      turns.take(borrower, async () => {
        const worker = idle.pop() ?? (await start());
        let isWorn = true;
        try {
          const ended = await run(worker);
          isWorn = ended.isWorn;
          return ended;
        } finally {
          takeBack(worker, isWorn);
        }
      }),
    async close() {
      isClosed = true;
      turns.close();
      await Promise.all([...all].map(({ thread }) => thread.terminate()));
    },
  };
}

async function compileEngine(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  return WebAssembly.compile(await readFile(path));
}

function goneOf(thread: Worker): Promise<never> {
  const gone = new Promise<never>((_resolve, reject) => {
    let fault = new Error('The thread of a sandbox ended.');
    thread.on('error', (error: Error) => {
      fault = error;
    });
    thread.once('exit', () => reject(fault));
  });
  // Whoever does not look at it has nothing to do about it.
  detach(gone, () => undefined);
  // What code cannot reach, nobody writes; still, nothing of it goes to the output of the server.
  thread.stdout.resume();
  thread.stderr.resume();
  return gone;
}

function readyOf(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    const listen = ({ type }: FromWorker) => {
      if (type !== 'ready') return;
      thread.off('message', listen);
      resolve();
    };
    thread.on('message', listen);
  });
}
