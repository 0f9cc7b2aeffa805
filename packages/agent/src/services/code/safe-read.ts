/** Reads a file below a root and nothing else: no link on the way to it is followed, whenever it is put there. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** At most so many bytes of a regular file whose real path this is; undefined when there is no such file. */
export function readWithin(path: string, maxBytes: number): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    // Not blocking: somebody may have put a pipe there.
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const opened = fstatSync(descriptor);
    if (!opened.isFile() || realpathSync.native(path) !== path) return undefined;
    // The path leads to what was opened, so a folder that was a link for a moment did not lead elsewhere.
    const named = lstatSync(path);
    if (named.ino !== opened.ino || named.dev !== opened.dev) return undefined;
    return readAll(descriptor, Math.min(opened.size, maxBytes));
  } catch {
    // Gone or not readable: to us it is not there.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readAll(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const read = readSync(descriptor, bytes, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}
