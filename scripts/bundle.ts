/** How the server and the overlay are bundled: for `npm start`, and for the bench that measures what is shipped. */
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

// Native or many-file packages stay outside; they are loaded on first use.
const EXTERNAL = ['better-sqlite3', 'pg', 'pino', 'prom-client', '@opentelemetry/*', 'undici', 'ws'];

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

const OVERLAY = fileURLToPath(new URL('../packages/annotations/src/overlay/index.ts', import.meta.url));

/** Bundles the overlay into one script that runs in any page. */
export function bundleOverlay(): string {
  const { outputFiles } = buildSync({
    entryPoints: [OVERLAY],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}
