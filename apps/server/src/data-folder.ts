/** Closes the data folder to other users, whatever its mode was when Parley came. */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OWN =
  /^(?:(?:parley|records)\.db(?:(?:-wal|-shm)(?:\.stale-[\w-]+)?|\.corrupt-[\w-]+|\.restore-lock)?|owner\.key(?:\.[0-9a-f]{12})?|secret\.key|server\.url)$/;

/** Gives a folder that holds nothing but Parley's files mode 0700, and the files 0600. */
export function closeToOthers(dataDir: string): void {
  if (process.platform === 'win32') return;
  const names = readdirSync(dataDir);
  const own = names.filter((name) => OWN.test(name));
  for (const name of own) closePath(join(dataDir, name), 0o600);
  // A folder with other things in it, such as a home folder, is not ours to close.
  if (own.length === names.length) closePath(dataDir, 0o700);
}

function closePath(path: string, mode: number): void {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info !== undefined && (info.mode & 0o077) !== 0) chmodSync(path, mode);
  } catch {
    // Somebody else's file: the doctor says so.
  }
}
