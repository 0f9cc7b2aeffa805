/**
 * Keeps what only tests need installed, apart from the product: test/tools with foreign clients, the conformance referee
 * and a PostgreSQL, test/real-servers/installed with servers of other projects, and bench/engines with other task engines.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Installs test/tools unless what is there was installed from the manifest as it is now. */
export async function ensureTestTools(): Promise<void> {
  await ensureInstalled(new URL('../test/tools/', import.meta.url));
}

/** Installs test/real-servers/installed likewise; only the command that tries them asks for it. */
export async function ensureRealServers(): Promise<void> {
  await ensureInstalled(new URL('../test/real-servers/installed/', import.meta.url));
}

/** Installs bench/engines likewise; only the command that compares them asks for it. */
export async function ensureEngines(): Promise<void> {
  await ensureInstalled(new URL('../bench/engines/', import.meta.url));
}

async function ensureInstalled(folder: URL): Promise<void> {
  const stamp = new URL('node_modules/.parley-stamp', folder);
  const wanted = createHash('sha256')
    .update(await readFile(new URL('package.json', folder)))
    .digest('hex');
  if ((await readStamp(stamp)) === wanted) return;
  await install(fileURLToPath(folder));
  await writeFile(stamp, wanted);
}

async function readStamp(stamp: URL): Promise<string | undefined> {
  try {
    return await readFile(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

function install(folder: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const npm = spawn('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    // Output goes to stderr, since callers may promise one JSON line on stdout.
    stdio: ['ignore', 2, 2],
    // npm is a script file on Windows, which only a shell can start.
    shell: process.platform === 'win32',
  });
  npm.once('error', reject);
  npm.once('close', (code) => {
    if (code === 0) resolve();
    else
      reject(new Error(`npm install in ${folder} ended with ${code}; check the network and run it by hand.`));
  });
  return promise;
}
