/** Owns doing one thing to several rows. */

const AT_ONCE = 4;

/** Does something for each, a few at once; the first fault is thrown when all have been tried. */
export async function eachOf<T>(rows: readonly T[], work: (row: T) => Promise<unknown>): Promise<void> {
  const ends: PromiseSettledResult<unknown>[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE)
    ends.push(...(await Promise.allSettled(rows.slice(at, at + AT_ONCE).map(work))));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
