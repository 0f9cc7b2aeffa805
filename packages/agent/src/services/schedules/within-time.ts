/** Work that has to end in time, also when it does not listen to its signal. */
import { ToolError } from '@parley/kit';

/** What the work returns; `timeout` when its time is over first, whether it noticed or not. */
export async function withinTime<T>(
  timeoutMs: number,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([stop, over]);
  let onAbort: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    onAbort = () =>
      reject(
        stop.aborted
          ? new ToolError('unavailable', 'It was stopped.')
          : new ToolError('timeout', `It took longer than ${Math.round(timeoutMs / 1000)} seconds.`),
      );
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work(signal), ended]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
