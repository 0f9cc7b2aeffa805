/** Owns building the console: only when its sources changed, with hashed names, and compressed ahead for the server. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const COMPRESSED = /\.(js|css|html|svg|json)$/;
const SMALLEST_BYTES = 1_024;
const STAMP = 'sources.sha256';

/** Builds the console at `folder` into its `dist`; `keepMs`: how long files of older builds stay. */
export async function buildConsole(folder: string, lockFile: string, keepMs: number): Promise<void> {
  const dist = join(folder, 'dist');
  const stamp = await stampOf(folder, lockFile);
  const stampFile = join(dist, STAMP);
  if (existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === stamp) return;
  // File systems round times.
  const startedAt = Date.now() - 2_000;
  // It takes a while to load, and most starts have nothing to build.
  const { build } = await import('vite');
  // A test runner has set another one, which would build React for developers.
  process.env['NODE_ENV'] = 'production';
  await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'error' });
  for (const path of await listFiles(dist)) {
    const { mtimeMs } = await stat(path);
    if (mtimeMs >= startedAt) await compress(path);
    else if (mtimeMs < startedAt - keepMs) await rm(path, { force: true });
  }
  await writeFile(stampFile, stamp);
}

async function stampOf(folder: string, lockFile: string): Promise<string> {
  const hash = createHash('sha256');
  const files = ['index.html', 'package.json', 'vite.config.ts'].map((name) => join(folder, name));
  const sources = [...(await listFiles(join(folder, 'src'))), ...(await listFiles(join(folder, 'public')))];
  for (const path of [lockFile, ...files, ...sources]) hash.update(path).update(await readFile(path));
  return hash.digest('hex');
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function compress(path: string): Promise<void> {
  if (!COMPRESSED.test(path)) return;
  const bytes = await readFile(path);
  if (bytes.length < SMALLEST_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
