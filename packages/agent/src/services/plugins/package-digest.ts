/** The digest of a package, and a copy of it: of all that a plugin can read, so that one byte more or less is another package. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, opendir, realpath, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { ToolError } from '@parley/kit';

const MOST_FILES = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;
const PART_BYTES = 64 * 1024;

/** What lies in a package. */
interface PackageEntry {
  readonly path: string;
  /** From the folder of the package, with slashes. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link';
}

/** Reads the whole folder; throws `invalid` for one that is too large, or has something that cannot be told by its files. */
export async function digestOf(folder: string): Promise<string> {
  const found: string[] = [];
  let roomBytes = MOST_BYTES;
  for await (const { path, name, kind } of entriesOf(folder)) {
    if (kind === 'link') found.push(JSON.stringify([name, kind, await linkWithin(folder, path)]));
    if (kind === 'file') {
      const hash = createHash('sha256');
      roomBytes -= await readParts(path, roomBytes, async (part) => hash.update(part));
      found.push(JSON.stringify([name, kind, hash.digest('hex')]));
    }
  }
  return createHash('sha256').update(found.toSorted().join('\n')).digest('hex');
}

/** Copies what lies in the folder, within the same bounds; a link leads to the same place of the copy. */
export async function copyPackage(folder: string, to: string): Promise<void> {
  let roomBytes = MOST_BYTES;
  await mkdir(to, { recursive: true, mode: 0o700 });
  for await (const { path, name, kind } of entriesOf(folder)) {
    const copy = join(to, name);
    if (kind === 'folder') await mkdir(copy, { mode: 0o700 });
    if (kind === 'link')
      await symlink(relative(dirname(copy), join(to, await linkWithin(folder, path))), copy);
    if (kind === 'file') {
      const file = await open(copy, 'wx', 0o400);
      try {
        roomBytes -= await readParts(path, roomBytes, (part) => file.writeFile(part));
      } finally {
        await file.close();
      }
    }
  }
}

/** What is in the folder and in those in it, a folder before what it has; no link is followed. */
async function* entriesOf(folder: string): AsyncGenerator<PackageEntry> {
  const folders = [folder];
  let count = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop())
    for await (const entry of await opendir(next)) {
      count += 1;
      if (count > MOST_FILES)
        throw new ToolError('invalid', `The package has more than ${MOST_FILES} files. Bundle it.`);
      const path = join(next, entry.name);
      const name = relative(folder, path).split(sep).join('/');
      if (entry.isDirectory()) {
        folders.push(path);
        yield { path, name, kind: 'folder' };
      } else if (entry.isSymbolicLink()) yield { path, name, kind: 'link' };
      else if (entry.isFile()) yield { path, name, kind: 'file' };
      else
        throw new ToolError(
          'invalid',
          `The package has something that is neither a file nor a folder: ${entry.name}`,
        );
    }
}

/** Where a link leads in the end, from the folder; Node lets a process follow links out of what it may read, so there must be none. */
async function linkWithin(folder: string, path: string): Promise<string> {
  // One that leads nowhere now may lead anywhere later.
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined || !isWithin(folder, target))
    throw new ToolError('invalid', `The package has a link that leads out of it: ${basename(path)}`);
  return relative(folder, target).split(sep).join('/');
}

/** Gives a file part by part, and returns its size. */
async function readParts(
  path: string,
  roomBytes: number,
  take: (part: Buffer) => Promise<unknown>,
): Promise<number> {
  // A link that came there since is not followed, and nothing waits for a pipe.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => {
    throw new ToolError('invalid', `The package has a file that cannot be read: ${basename(path)}`);
  });
  try {
    const part = Buffer.allocUnsafe(PART_BYTES);
    let sizeBytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(part, 0, PART_BYTES, null);
      if (bytesRead === 0) return sizeBytes;
      sizeBytes += bytesRead;
      if (sizeBytes > roomBytes)
        throw new ToolError('invalid', `The package has more than ${MOST_BYTES} bytes. Bundle it.`);
      await take(part.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Whether a path is the folder, or lies in it; both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
