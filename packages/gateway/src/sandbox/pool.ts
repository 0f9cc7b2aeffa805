/** The threads of a sandbox: started on demand, at most so many, each ended after a kill, some runs, or some minutes. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { detach, ToolError } from '@parley/kit';
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

/** Lends threads. */
export interface WorkerPool {
  /** Waits for a thread in turn; refuses when too many wait already. */
  lend(signal: AbortSignal): Promise<LentWorker>;
  /** Takes a thread back; one that is worn is ended, and the next run gets a new one. */
  giveBack(worker: LentWorker, isWorn: boolean): void;
  close(): Promise<void>;
}

const WORKER_FILE = import.meta.url.endsWith('.ts') ? './worker.ts' : './sandbox-worker.js';
const STACK_MB = 16;

const FULL = 'Too much code is running. Try again in a few seconds.';
const CLOSED = 'The server is stopping. Try again once it has started.';

/** Creates the pool; nothing is loaded or started before the first run. `file` is another program for the threads. */
export function createWorkerPool(
  limits: SandboxLimits,
  file = new URL(WORKER_FILE, import.meta.url),
): WorkerPool {
  const all = new Set<PooledWorker>();
  const idle: PooledWorker[] = [];
  const waiting: { take: (worker: Promise<PooledWorker>) => void; refuse: (error: Error) => void }[] = [];
  let compiled: Promise<WebAssembly.Module> | undefined;
  let starting = 0;
  let isClosed = false;

  async function start(): Promise<PooledWorker> {
    starting += 1;
    try {
      const workerData: WorkerStart = { wasmModule: await (compiled ??= compileEngine()), limits };
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
    } finally {
      starting -= 1;
    }
  }

  function forget(worker: PooledWorker): void {
    all.delete(worker);
    const index = idle.indexOf(worker);
    if (index !== -1) idle.splice(index, 1);
    serveNext();
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

  /** A thread for the first who waits, when there is one or room for one. */
  function serveNext(): void {
    if (waiting.length === 0 || isClosed) return;
    const worker = idle.pop();
    if (worker !== undefined) waiting.shift()?.take(Promise.resolve(worker));
    else if (all.size + starting < limits.workers) waiting.shift()?.take(start());
  }

  return {
    lend(signal) {
      if (isClosed) return Promise.reject(new ToolError('unavailable', CLOSED));
      if (waiting.length >= limits.waiting) return Promise.reject(new ToolError('rate_limited', FULL));
      return new Promise((resolve, reject) => {
        const turn = { take: resolve, refuse: reject };
        const leave = () => {
          const index = waiting.indexOf(turn);
          if (index === -1) return;
          waiting.splice(index, 1);
          // Whoever cancels gives an error, or Node does.
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', leave, { once: true });
        turn.take = (worker) => {
          signal.removeEventListener('abort', leave);
          resolve(worker);
        };
        waiting.push(turn);
        serveNext();
      });
    },
    giveBack(lent, isWorn) {
      const worker = [...all].find(({ thread }) => thread === lent.thread);
      if (worker === undefined) return;
      worker.runs += 1;
      if (isWorn || worker.isRetired || isClosed || worker.runs >= limits.runsPerWorker) end(worker);
      else {
        idle.push(worker);
        serveNext();
      }
    },
    async close() {
      isClosed = true;
      for (const { refuse } of waiting.splice(0)) refuse(new ToolError('unavailable', CLOSED));
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
