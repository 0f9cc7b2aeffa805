/** Owns the time limit of a request: one signal that fires when time runs out or the caller gives up. */
import { timedOut } from './errors.ts';

/** A time limit that can be set anew, and the signal that tells of its end. */
export interface Timer {
  readonly signal: AbortSignal;
  /** Starts counting from now, in place of whatever was left. */
  restart(ms: number): void;
  stop(): void;
  /** Ends the request now with a reason of our own. */
  abort(reason: Error): void;
  /** Waits for work that cannot be cancelled itself. */
  race<T>(work: Promise<T>): Promise<T>;
}

/** Starts a time limit; `outer` is the caller's own signal, whose reason is passed on unchanged. */
export function startTimer(ms: number, outer?: AbortSignal): Timer {
  const controller = new AbortController();
  const signal = outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]);
  let handle: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(handle);
  const restart = (nextMs: number): void => {
    stop();
    handle = setTimeout(() => controller.abort(timedOut()), nextMs);
  };
  restart(ms);
  return {
    signal,
    restart,
    stop,
    abort: (reason) => controller.abort(reason),
    race: (work) => raceSignal(work, signal),
  };
}

async function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const gate = Promise.withResolvers<never>();
  const onAbort = (): void => gate.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, gate.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
