/** The digest of a package: of all that a plugin can read, so that one byte more or less is another package. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, opendir, readlink, realpath } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { ToolError } from '@parley/kit';

const MOST_FILES = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;
const PART_BYTES = 64 * 1024;

/** Reads the whole folder; throws `invalid` for one that is too large, or has something that cannot be told by its files. */
export async function digestOf(folder: string): Promise<string> {
  const found: string[] = [];
  let roomBytes = MOST_BYTES;
  for await (const { path, kind } of entriesOf(folder)) {
    const name = relative(folder, path).split(sep).join('/');
    if (kind === 'link') found.push(JSON.stringify([name, kind, await linkWithin(folder, path)]));
    if (kind === 'file') {
      const { digest, sizeBytes } = await digestOfFile(path, roomBytes);
      roomBytes -= sizeBytes;
      found.push(JSON.stringify([name, kind, digest]));
    }
  }
  return createHash('sha256').update(found.toSorted().join('\n')).digest('hex');
}

/** Files and links of the folder and of those in it; no link is followed. */
async function* entriesOf(folder: string): AsyncGenerator<{ path: string; kind: 'file' | 'link' }> {
  const folders = [folder];
  let count = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop())
    for await (const entry of await opendir(next)) {
      count += 1;
      if (count > MOST_FILES)
        throw new ToolError('invalid', `The package has more than ${MOST_FILES} files. Bundle it.`);
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isSymbolicLink()) yield { path, kind: 'link' };
      else if (entry.isFile()) yield { path, kind: 'file' };
      else
        throw new ToolError(
          'invalid',
          `The package has something that is neither a file nor a folder: ${entry.name}`,
        );
    }
}

/** Node lets a process follow links out of the folder that it may read, so there must be none. */
async function linkWithin(folder: string, path: string): Promise<string> {
  // One that leads nowhere now may lead anywhere later.
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined || !isWithin(folder, target))
    throw new ToolError('invalid', `The package has a link that leads out of it: ${basename(path)}`);
  return readlink(path);
}

async function digestOfFile(path: string, roomBytes: number): Promise<{ digest: string; sizeBytes: number }> {
  // A link that came there since is not followed, and nothing waits for a pipe.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => {
    throw new ToolError('invalid', `The package has a file that cannot be read: ${basename(path)}`);
  });
  try {
    const hash = createHash('sha256');
    const part = Buffer.allocUnsafe(PART_BYTES);
    let sizeBytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(part, 0, PART_BYTES, null);
      if (bytesRead === 0) return { digest: hash.digest('hex'), sizeBytes };
      sizeBytes += bytesRead;
      if (sizeBytes > roomBytes)
        throw new ToolError('invalid', `The package has more than ${MOST_BYTES} bytes. Bundle it.`);
      hash.update(part.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Whether a path is the folder, or lies in it; both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
