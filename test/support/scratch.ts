/** Where a test run keeps its scratch files: in memory where the machine has room for it, and gone when the run ends. */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Several times what a run needs at once; containers often have a few MiB only. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * The global setup of the test run: a folder that `tmpdir()` names in every test and in the processes they start. A run
 * makes thousands of databases, each of many small files, and a disk takes longer for them than the tests do.
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'parley-run-'));
  // The PostgreSQL server in it runs as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  // Programs of the tests are sources, which every process would strip of their types again.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM_BYTES;
}
