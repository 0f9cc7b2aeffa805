/** Keeps test/tools installed: foreign clients, the conformance referee and a PostgreSQL, apart from the product. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const TOOLS = new URL('../test/tools/', import.meta.url);
const STAMP = new URL('node_modules/.parley-stamp', TOOLS);

/** Installs test/tools unless what is there was installed from the manifest as it is now. */
export async function ensureTestTools(): Promise<void> {
  const wanted = createHash('sha256')
    .update(await readFile(new URL('package.json', TOOLS)))
    .digest('hex');
  if ((await readStamp()) === wanted) return;
  await installTools();
  await writeFile(STAMP, wanted);
}

async function readStamp(): Promise<string | undefined> {
  try {
    return await readFile(STAMP, 'utf8');
  } catch {
    return undefined;
  }
}

function installTools(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const npm = spawn('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: fileURLToPath(TOOLS),
    // Output goes to stderr, since callers may promise one JSON line on stdout.
    stdio: ['ignore', 2, 2],
    // npm is a script file on Windows, which only a shell can start.
    shell: process.platform === 'win32',
  });
  npm.once('error', reject);
  npm.once('close', (code) => {
    if (code === 0) resolve();
    else
      reject(
        new Error(`npm install in test/tools ended with ${code}; check the network and run it by hand.`),
      );
  });
  return promise;
}
