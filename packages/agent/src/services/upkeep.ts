/** What a serving process looks after by itself: due schedules and runs that were lost, each 30 seconds; what is old, each hour. */
import { detach } from '@parley/kit';

const CHECK_MS = 30_000;
const CHECKS_PER_SWEEP = 120;

/** A noun that wants to be looked after. */
export interface Kept {
  check(): Promise<void>;
}

/** Begins to look after them; returns the function that ends it. */
export function keepUp(
  nouns: readonly Kept[],
  sweep: () => Promise<void>,
  onFault: (error: unknown, where: string) => void,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let looks = 0;
  const look = async () => {
    const isSweeping = looks % CHECKS_PER_SWEEP === 0;
    looks += 1;
    for (const noun of nouns) await noun.check();
    if (isSweeping) await sweep();
  };
  const run = () => {
    if (running !== undefined) return;
    running = look().finally(() => (running = undefined));
    detach(running, (error) => onFault(error, 'agent upkeep'));
  };
  const timer = setInterval(run, CHECK_MS).unref();
  run();
  return async () => {
    clearInterval(timer);
    // What went wrong in it was told already.
    await running?.catch(() => undefined);
  };
}
