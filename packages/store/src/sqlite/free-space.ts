/** Whether the disk has room for what people write: the one row of the probe fits where nothing else does. */
import { statfs } from 'node:fs/promises';
import { StoreUnavailableError } from '../errors.ts';
import { toStoreError } from './errors.ts';

const SMALLEST_FREE_BYTES = 1024 * 1024;

/** Throws when less than 1 MiB is left to this user on the disk of the folder. */
export async function requireSpace(folder: string): Promise<void> {
  const { blocks, bfree, bavail, bsize } = await statfs(folder).catch((error: unknown) => {
    throw toStoreError(error, folder);
  });
  // Some file systems do not say.
  if (blocks === 0) return;
  const freeBlocks = process.getuid?.() === 0 ? bfree : bavail;
  if (freeBlocks * bsize < SMALLEST_FREE_BYTES) throw new StoreUnavailableError('full', undefined, folder);
}
