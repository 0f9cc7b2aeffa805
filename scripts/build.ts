/** Bundles the server into apps/server/dist: one entry, lazy parts in files of their own. */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const server = fileURLToPath(new URL('../apps/server/', import.meta.url));

// Native or many-file packages stay outside; they are loaded on first use.
const EXTERNAL = ['better-sqlite3', 'pg', 'pino', 'prom-client', '@opentelemetry/*', 'undici'];

await rm(`${server}dist`, { recursive: true, force: true });
await build({
  entryPoints: { parley: `${server}src/cli/main.ts` },
  outdir: `${server}dist`,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  sourcemap: true,
  external: EXTERNAL,
  logLevel: 'warning',
});
