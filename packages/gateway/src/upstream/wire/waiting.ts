/** Waiting that ends when a signal fires. */

/** The work's outcome, or the reason of the signal, whichever comes first. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const gate = Promise.withResolvers<never>();
  const onAbort = () => gate.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, gate.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const waited = Promise.withResolvers<void>();
  const timer = setTimeout(waited.resolve, ms);
  try {
    await untilAborted(waited.promise, signal);
  } finally {
    clearTimeout(timer);
  }
}
