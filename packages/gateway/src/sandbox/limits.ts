/** How much one run of code may take, and how many runs there are at a time. */

/** The defaults; tests make some of them smaller. */
export const SANDBOX_LIMITS = {
  /** The heap that the engine gives to the code. */
  heapBytes: 32 * 1024 * 1024,
  /** All memory of the engine; the machine refuses more, whatever the engine believes. */
  engineBytes: 64 * 1024 * 1024,
  /** The heap of the thread around it; Node ends a thread that takes more. Both together stay below 256 MiB. */
  threadHeapMb: 128,
  stackBytes: 512 * 1024,
  /** After the deadline the engine is told to stop; this long after it, the thread is ended. */
  graceMs: 500,
  resultBytes: 256 * 1024,
  consoleEntries: 200,
  consoleBytes: 64 * 1024,
  calls: 100,
  callsAtOnce: 8,
  /** The arguments of one nested call, as JSON. */
  argumentBytes: 1024 * 1024,
  /** Threads; one organization has half of them at most. */
  workers: 4,
  /** How many runs of one organization wait for a thread, and for how long. */
  waiting: 64,
  waitMs: 30_000,
  runsPerWorker: 100,
  workerAgeMs: 10 * 60_000,
};

/** The limits of a sandbox. */
export type SandboxLimits = typeof SANDBOX_LIMITS;

/** The longest code, in characters. */
export const MAX_CODE_CHARACTERS = 100_000;
