/** Work that nobody waits for, in a page: the kit, which has the same, is too large to load there. */

/** Takes work that runs, and gives what it rejects with to `onFault`. */
export function detach(work: Promise<unknown>, onFault: (error: unknown) => void): void {
  work.catch(onFault);
}
