/** The write probe: whether the database takes a write right now, asked at most once a second. */
import { detach } from './detach.ts';
import type { Engine } from './engine.ts';
import { StoreUnavailableError } from './errors.ts';

const FRESH_MS = 1_000;
// A probe that waits longer than this is an answer too: the caller has a deadline of its own.
const WAIT_MS = 5_000;

interface Found {
  readonly until: number;
  readonly error: Error | undefined;
}

/** Returns whether a write works; what was found counts for a second, and many who ask at once share one look. */
export function createWriteProbe(engine: Engine, clock: () => number): () => Promise<void> {
  let found: Found | undefined;
  let looking: Promise<Found> | undefined;

  async function look(): Promise<Found> {
    const error = await inTime(tryWrite(engine, clock())).then(
      () => undefined,
      (failure: unknown) => (failure instanceof Error ? failure : new Error(String(failure))),
    );
    found = { until: performance.now() + FRESH_MS, error };
    return found;
  }

  return async () => {
    const isFresh = found !== undefined && performance.now() < found.until;
    if (!isFresh) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
    }
    const { error } = (await looking) ?? found ?? {};
    if (error !== undefined) throw error;
  };
}

async function tryWrite(engine: Engine, at: number): Promise<void> {
  await engine.requireThere();
  try {
    await engine.db.updateTable('parley_probe').set({ at }).where('id', '=', 1).execute();
  } catch (error) {
    // Before the first migration there is nothing to write to, and nobody who writes.
    if (!engine.isMissingTable(error)) throw error;
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StoreUnavailableError('busy')), WAIT_MS);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    // One that comes too late has nobody left to tell.
    detach(work, () => undefined);
  }
}
