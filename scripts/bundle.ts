/** How the server is bundled: for `npm start`, and for the bench that measures what is shipped. */
import { buildSync } from 'esbuild';

// Native or many-file packages stay outside; they are loaded on first use.
const EXTERNAL = ['better-sqlite3', 'pg', 'pino', 'prom-client', '@opentelemetry/*', 'undici'];

/** Bundles one entry into a folder; what is imported on first use gets a file of its own. */
export function bundleServer(entry: string, outdir: string, name: string): void {
  buildSync({
    entryPoints: { [name]: entry },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: true,
    external: EXTERNAL,
    logLevel: 'warning',
  });
}
