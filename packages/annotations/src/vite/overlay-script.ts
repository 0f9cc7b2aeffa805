/** Owns the overlay's script inside a dev server, bundled from its sources on first use. */
import { fileURLToPath } from 'node:url';

const SOURCE = new URL('../overlay/index.ts', import.meta.url);

/** Answers the text of the script; undefined when it cannot be bundled here. */
export function createOverlayScript(): () => Promise<string | undefined> {
  let script: Promise<string | undefined> | undefined;
  // A project without esbuild has no overlay, which the page says.
  return () => (script ??= bundleSource().catch(() => undefined));
}

async function bundleSource(): Promise<string | undefined> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(SOURCE)],
    bundle: true,
    format: 'iife',
    minify: true,
    target: 'es2022',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text;
}
