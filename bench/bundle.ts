/** Owns the plain JavaScript form of the bench programs, so that none pays in time or memory for stripping types. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { bundleServer } from '../scripts/bundle-server.ts';

const packageFolder = new URL('../node_modules/', import.meta.url);
// below node_modules, so that bare imports resolve as in the project and git never sees it
const outFolder = new URL('.cache/parley-bench/', packageFolder);

/** Bundles our own files of one program, leaves packages of others as they are, and gives the script. */
export function bundleScript(source: string): string {
  const name = basename(source, '.ts');
  const folder = new URL(`${name}/`, outFolder);
  buildSync({
    entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
    outdir: fileURLToPath(folder),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // what is imported on first use stays in a file of its own
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: thirdParties(),
    logLevel: 'warning',
  });
  return fileURLToPath(new URL(`${name}.mjs`, folder));
}

/** Bundles a program the way the server is shipped, with the compile cache that its launcher turns on. */
export async function bundleShipped(source: string): Promise<string> {
  const name = basename(source, '.ts');
  const folder = new URL(`${name}-shipped/`, outFolder);
  await bundleServer(fileURLToPath(new URL(source, import.meta.url)), fileURLToPath(folder), name);
  // As in the server's own package: without it node has to guess what each file is.
  writeFileSync(fileURLToPath(new URL('package.json', folder)), '{"type":"module"}');
  const launcher = fileURLToPath(new URL('launch.mjs', folder));
  writeFileSync(
    launcher,
    `import { enableCompileCache } from 'node:module';\nenableCompileCache();\nawait import('./${name}.js');\n`,
  );
  return launcher;
}

function thirdParties(): string[] {
  return readdirSync(packageFolder)
    .filter((name) => !name.startsWith('.') && name !== '@parley')
    .map((name) => (name.startsWith('@') ? `${name}/*` : name));
}

/** A path for a file that a bundled program reads. */
export function cachePath(name: string): string {
  mkdirSync(outFolder, { recursive: true });
  return fileURLToPath(new URL(name, outFolder));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(bundleScript(process.argv[2] ?? ''));
}
