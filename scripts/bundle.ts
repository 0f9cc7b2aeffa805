/** How the overlay is bundled for the server that ships it. */
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

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
