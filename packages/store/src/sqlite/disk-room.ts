/** How much room a disk has left for this user. */
import { statfsSync } from 'node:fs';
import type { StatsFs } from 'node:fs';

const SMALLEST_FREE_BYTES = 1024 * 1024;

/** True when less than 1 MiB is left; some file systems do not say, and have room. */
export function isShort({ blocks, bfree, bavail, bsize }: StatsFs): boolean {
  const freeBlocks = process.getuid?.() === 0 ? bfree : bavail;
  return blocks !== 0 && freeBlocks * bsize < SMALLEST_FREE_BYTES;
}

/** The same of the disk that a folder is on; what cannot be asked is not said to be full. */
export function isDiskFull(folder: string): boolean {
  try {
    return isShort(statfsSync(folder));
  } catch {
    // The folder is gone, which the error at hand tells better.
    return false;
  }
}
