/** Writes of a running task that fail for no reason of its own: tried again, then the task goes back; it never fails for them. */
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '@parley/store';
import { LeaseLost } from './finish.ts';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 2_000;
/** While a process stops, nobody waits for what may not come back. */
const STOPPING_MS = 1_000;

/** What a task did could not be written down, whatever the driver said: it is run again. */
export class UnwrittenError extends Error {
  override readonly name = 'UnwrittenError';

  constructor(cause: unknown) {
    super('The database did not take what a task did. The task runs again.', { cause });
  }
}

/** Whether a run ended for nothing but a database that could not serve it. */
export function isUnserved(error: unknown): boolean {
  return (error instanceof UnwrittenError ? error.cause : error) instanceof StoreUnavailableError;
}

export interface PersistOptions {
  readonly signal: AbortSignal;
  readonly forMs: number;
  /** Whether it is tried again after this error; by default after every one but a lost lease. */
  readonly mayRepeat?: (error: unknown) => boolean;
}

/** Tries a fenced write until it is there or its time is over. Written twice is as written once. */
export async function persist<T>(
  write: () => Promise<T>,
  { signal, forMs, mayRepeat = isNoLeaseLost }: PersistOptions,
): Promise<T> {
  const beganMs = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!mayRepeat(error)) throw error;
      const mostMs = signal.aborted ? Math.min(forMs, STOPPING_MS) : forMs;
      if (performance.now() - beganMs + pauseMs > mostMs) throw new UnwrittenError(error);
    }
    await pause(pauseMs);
  }
}

function isNoLeaseLost(error: unknown): boolean {
  return !(error instanceof LeaseLost);
}
