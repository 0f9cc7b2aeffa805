/** The overlay's script: the file that was built beside a bundle, or bundled from its sources on first use. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** Returns the text of the script; undefined when it cannot be had here. */
export function createOverlayScript(): () => Promise<string | undefined> {
  let script: Promise<string | undefined> | undefined;
  const load = import.meta.url.endsWith('.ts') ? bundleSource : readBuilt;
  // Without the script the route and the page say so, and everything else is served.
  return () => (script ??= load().catch(() => undefined));
}

/** The tag that a page needs; it alone is enough. */
export function overlayTag(serverUrl: string, pageToken: string): string {
  return `<script src="${serverUrl}/__parley/overlay.js" data-token="${pageToken}"></script>`;
}

function readBuilt(): Promise<string> {
  return readFile(new URL('./overlay.js', import.meta.url), 'utf8');
}

async function bundleSource(): Promise<string | undefined> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./overlay/index.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    minify: true,
    target: 'es2022',
    platform: 'browser',
    write: false,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text;
}
