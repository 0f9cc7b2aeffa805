/** Work that nobody waits for: its fault is reported, never lost. */

/**
 * Starts work, or takes work that runs already, and gives what it throws or rejects with to `onFault`.
 *
 *     detach(sweep(), (error) => onFault(error, 'sweep'));
 */
export function detach(
  work: PromiseLike<unknown> | (() => PromiseLike<unknown>),
  onFault: (error: unknown) => void,
): void {
  const tell = (error: unknown) => {
    try {
      onFault(error);
    } catch {
      // A report that fails has nobody left to tell, and must not end the process as an unhandled rejection.
    }
  };
  try {
    (typeof work === 'function' ? work() : work).then(undefined, tell);
  } catch (error) {
    tell(error);
  }
}
