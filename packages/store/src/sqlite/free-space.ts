/** Whether the disk has room for what people write: the one row of the probe fits where nothing else does. */
import { statfs } from 'node:fs/promises';
import { StoreUnavailableError } from '../errors.ts';
import { isShort } from './disk-room.ts';
import { toStoreError } from './errors.ts';

/** Throws when less than 1 MiB is left to this user on the disk of the folder. */
export async function requireSpace(folder: string): Promise<void> {
  const stats = await statfs(folder).catch((error: unknown) => {
    throw toStoreError(error, folder);
  });
  if (isShort(stats)) throw new StoreUnavailableError('full', undefined, folder);
}
