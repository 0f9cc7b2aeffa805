/** Builds the server and the overlay into apps/server/dist. */
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleServer } from './bundle-server.ts';
import { bundleOverlay } from './bundle.ts';

const server = fileURLToPath(new URL('../apps/server/', import.meta.url));

await rm(`${server}dist`, { recursive: true, force: true });
await bundleServer(`${server}src/cli/main.ts`, `${server}dist`, 'parley');
await writeFile(`${server}dist/overlay.js`, bundleOverlay());
