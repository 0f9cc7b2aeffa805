/** Builds the server and the overlay into apps/server/dist, and the console into apps/console/dist. */
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';
import { bundleServer } from './bundle-server.ts';
import { bundleOverlay } from './bundle.ts';

const KEEP_MS = 7 * 24 * 3_600_000;
// File systems round times.
const startedAt = Date.now() - 2_000;
const root = fileURLToPath(new URL('../', import.meta.url));
const server = `${root}apps/server/`;

await bundleServer(`${server}src/cli/main.ts`, `${server}dist`, 'parley');
await writeFile(`${server}dist/overlay.js`, bundleOverlay());
await removeOld(`${server}dist`, startedAt);
await buildConsole(`${root}apps/console`, `${root}package-lock.json`, KEEP_MS);

/**
 * Removes what earlier builds left, once it is old: a server that runs from one of them still loads parts of it on
 * first use, and would find nothing.
 */
async function removeOld(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = `${folder}/${name}`;
    const { mtimeMs } = await stat(path);
    const isMap = name.endsWith('.map');
    if (mtimeMs < before - (isMap ? 0 : KEEP_MS)) await rm(path, { force: true });
  }
}
