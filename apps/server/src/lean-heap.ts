/**
 * A heap that stays small until there is load, and grows no further than load makes use of. Loading code makes the
 * young generation grow to its full size, which an idle server then carries along; under load most of the speed is
 * had with a part of what V8 would take, and the rest is not given back.
 */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const REQUESTS_BEFORE_GROWTH = 1000;
const REQUESTS_BETWEEN_LOOKS = 250;
// Two halves of 16 MB.
const YOUNG_BYTES = 32 * 1024 * 1024;
const LOOK_EVERY_MS = 30_000;
// Less is not worth the pause of a collection.
const SPARE_BYTES = 12 * 1024 * 1024;

/** Holds the young generation down; call it before the server's code is loaded. */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Counts requests, lets the heap grow when there are many, and stops it when it is large enough. */
export function createHeapGrowth(): () => void {
  let left = REQUESTS_BEFORE_GROWTH;
  let isGrowing = false;
  let requests = 0;
  return () => {
    requests += 1;
    left -= 1;
    if (left !== 0) return;
    if (!isGrowing) {
      giveBackWhenQuiet(() => requests);
      // V8's own factor; from here on it decides by what survives.
      setFlagsFromString('--semi-space-growth-factor=2');
      isGrowing = true;
    } else if (youngBytes() >= YOUNG_BYTES) {
      keepHeapSmall();
      // Never asked again: what has grown stays.
      return;
    }
    left = REQUESTS_BETWEEN_LOOKS;
  };
}

/** After load a heap keeps its size for as long as nothing is allocated; one collection in the silence gives it back. */
function giveBackWhenQuiet(requests: () => number): void {
  let seen = requests();
  let isGivenBack = false;
  setInterval(() => {
    const isQuiet = requests() === seen;
    seen = requests();
    if (!isQuiet) isGivenBack = false;
    else if (!isGivenBack && spareBytes() > SPARE_BYTES) collect();
    if (isQuiet) isGivenBack = true;
  }, LOOK_EVERY_MS).unref();
}

function spareBytes(): number {
  const { total_heap_size: total, used_heap_size: used } = getHeapStatistics();
  return total - used;
}

/** Gives back what nothing uses any more; a pause of about a tenth of a second, for when nobody waits. */
export function collect(): void {
  setFlagsFromString('--expose-gc');
  // The only way to the collector of a running program; absent where it was built without.
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return young?.space_size ?? 0;
}
