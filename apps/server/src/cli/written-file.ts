/** Where a command writes much text: a new file that only its owner can read, or stdout. */
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { UsageError } from '../config.ts';

export type WriteText = (text: string) => Promise<void>;

/** A file that is not there yet; it goes again when the work fails. */
export async function intoNewFile<T>(path: string, work: (write: WriteText) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new UsageError(`${path} exists already. Give another name.`);
    throw new UsageError(`${path} cannot be written (${error.code ?? 'unknown'}).`);
  });
  try {
    const result = await work((text) => file.appendFile(text));
    await file.sync();
    return result;
  } catch (error) {
    await rm(path, { force: true });
    if (!isFull(error)) throw error;
    throw new UsageError(
      `${path} cannot be written, since its disk is full. Free some space there, or name a file on another disk.`,
    );
  } finally {
    await file.close();
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC';
}

export const writeToStdout: WriteText = async (text) => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};
