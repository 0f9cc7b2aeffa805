/** Builds the server into apps/server/dist. */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleServer } from './bundle.ts';

const server = fileURLToPath(new URL('../apps/server/', import.meta.url));

await rm(`${server}dist`, { recursive: true, force: true });
bundleServer(`${server}src/cli/main.ts`, `${server}dist`, 'parley');
