/** Owns the plain JavaScript form of the bench programs, so that none pays in time or memory for stripping types. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { bundleServer } from '../scripts/bundle-server.ts';

const packageFolder = new URL('../node_modules/', import.meta.url);
// below node_modules, so that bare imports resolve as in the project and git never sees it
const outFolder = new URL('.cache/parley-bench/', packageFolder);

/**
 * Bundles our own files of one program, leaves packages of others as they are, and gives the script. With `beside`, the
 * folder of another checkout, the program is ours and the packages that it uses are those of there.
 */
export function bundleScript(source: string, beside?: string): string {
  const name = basename(source, '.ts');
  const folder = new URL(beside === undefined ? `${name}/` : `${name}-beside/`, outFolder);
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
    ...(beside !== undefined && { alias: packagesIn(beside) }),
  });
  return fileURLToPath(new URL(`${name}.mjs`, folder));
}

/** Where the roots of the packages of another checkout are. */
function packagesIn(checkout: string): Record<string, string> {
  const packages = join(resolve(checkout), 'packages');
  return Object.fromEntries(
    readdirSync(packages)
      .map((name) => [`@parley/${name}`, join(packages, name, 'src/index.ts')] as const)
      .filter(([, root]) => existsSync(root)),
  );
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
