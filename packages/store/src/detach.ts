/** Work that nobody waits for: its fault is reported, never lost. The kit has the same, but the store imports no package. */

/** Takes work that runs, and gives what it rejects with to `onError`. */
export function detach(work: Promise<unknown>, onError: (error: unknown) => void): void {
  work
    .catch(onError)
    // A report that fails has nobody left to tell, and must not end the process as an unhandled rejection.
    .catch(() => undefined);
}
