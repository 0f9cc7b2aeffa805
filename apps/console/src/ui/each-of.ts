/** Owns doing one thing to several rows. */

const AT_ONCE = 4;

/** What became of the rows. */
export interface EachEnd<T> {
  readonly done: readonly T[];
  /** The first fault, when there was one. */
  readonly fault: Error | undefined;
}

/** Does something for each, a few at once, and tells which it was done for: one that cannot be done holds up no other. */
export async function tryEach<T>(
  rows: readonly T[],
  work: (row: T) => Promise<unknown>,
): Promise<EachEnd<T>> {
  const done: T[] = [];
  const faults: Error[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    const ends = await Promise.allSettled(some.map(work));
    for (const [index, row] of some.entries()) {
      const end = ends[index];
      if (end?.status === 'rejected') faults.push(asError(end.reason));
      else done.push(row);
    }
  }
  return { done, fault: faults[0] };
}

/** Does something for each, a few at once; the first fault is thrown when all have been tried. */
export async function eachOf<T>(rows: readonly T[], work: (row: T) => Promise<unknown>): Promise<void> {
  const { fault } = await tryEach(rows, work);
  if (fault !== undefined) throw fault;
}

/** Says that some of several were not done, and why; nothing when all were. */
export function missedWords(all: number, { done, fault }: EachEnd<unknown>): string | undefined {
  if (fault === undefined) return undefined;
  return all === 1 ? fault.message : `${all - done.length} of ${all} were not changed: ${fault.message}`;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
