/** Gives memory back to the system while nothing is asked: loading and load leave the heap far larger than what it holds. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Notes activity and lets go of memory after it. */
export interface IdleMemory {
  /** Something was asked just now. */
  touch(): void;
  close(): void;
}

const IDLE_MS = 1000;
const WORTH_BYTES = 12 * 1024 * 1024;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Watches for quiet; a collection takes some 50 ms, so it waits until nobody is there and much is to be had. */
export function createIdleMemory(): IdleMemory {
  let quietSince = performance.now();
  let isDone = false;
  const look = setInterval(() => {
    if (isDone || performance.now() - quietSince < IDLE_MS) return;
    isDone = true;
    const { total_heap_size: held, used_heap_size: used } = getHeapStatistics();
    if (held - used > WORTH_BYTES) collect();
  }, IDLE_MS).unref();
  return {
    touch() {
      quietSince = performance.now();
      isDone = false;
    },
    close: () => clearInterval(look),
  };
}

function collect(): void {
  // Only this flavour gives pages back, and only this way reaches it without a flag on the command line.
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect; // the function that the flag adds
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
