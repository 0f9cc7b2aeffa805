/** Owns a disk that can be filled to its last byte: a few MiB of memory, mounted where the machine lets us. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk extends Disposable {
  readonly path: string;
  fill(): void;
  free(): void;
}

const PART = Buffer.alloc(64 * 1024, 1);

/** Whether this user may mount one; containers and people who are not root seldom may. */
export function mayMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'parley-mount-'));
  const disk = mountSmallDisk(path, 1);
  disk?.[Symbol.dispose]();
  rmdirSync(path);
  return disk !== undefined;
}

/** Mounts one; undefined where only another user, or another machine, may do that. */
export function mountSmallDisk(
  path: string,
  mebibytes: number,
  user: { uid?: number; gid?: number } = {},
): SmallDisk | undefined {
  mkdirSync(path, { recursive: true });
  const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = user;
  try {
    const options = `size=${mebibytes}m,mode=700,uid=${uid},gid=${gid}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'parley-faults', path], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill() {
      const file = openSync(ballast, 'a');
      try {
        while (writeSync(file, PART) === PART.length);
        // The last bytes are fewer than a part.
        for (;;) appendFileSync(ballast, PART.subarray(0, 512));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]: () => {
      execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });
    },
  };
}
