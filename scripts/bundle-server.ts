/** How the server is bundled: for `npm start`, and for the bench that measures what is shipped. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import type { OutputChunk, OutputOptions, RolldownBuild } from 'rolldown';
import { rolldown } from 'rolldown';
import { describeOwn } from '../apps/server/src/start/describe.ts';
import { DESCRIPTION_FILE, writeDescription } from '../apps/server/src/start/description.ts';
import { lightBuiltins } from './light-builtins.ts';

// Native or many-file packages stay outside; they are loaded on first use.
const EXTERNAL = [
  /^@jitl\//,
  'better-sqlite3',
  'esbuild',
  'oxc-parser',
  'pg',
  'pino',
  'prom-client',
  /^@opentelemetry\//,
  /^@seriousme\//,
  /^@simplewebauthn\//,
  'quickjs-emscripten-core',
  /^undici(\/|$)/,
  'ws',
  'yaml',
];

const PROGRAMS = {
  'code-program.js': fileURLToPath(
    new URL('../packages/agent/src/services/code/program.ts', import.meta.url),
  ),
  'code-worker.js': fileURLToPath(new URL('../packages/agent/src/services/code/worker.ts', import.meta.url)),
  'plugin-program.js': fileURLToPath(
    new URL('../packages/agent/src/services/plugins/program.ts', import.meta.url),
  ),
  'openapi-thread.js': fileURLToPath(
    new URL('../packages/gateway/src/upstream/openapi/translator-thread.ts', import.meta.url),
  ),
  'schema-thread.js': fileURLToPath(
    new URL('../packages/gateway/src/upstream/schema-checks/thread.ts', import.meta.url),
  ),
  'sandbox-worker.js': fileURLToPath(new URL('../packages/gateway/src/sandbox/worker.ts', import.meta.url)),
  'database-program.js': fileURLToPath(
    new URL('../packages/store/src/databases/sqlite-program.ts', import.meta.url),
  ),
};

// Loaded on demand for the sake of PostgreSQL, but most starts need it at once.
const USUAL_ENGINE = fileURLToPath(new URL('../packages/store/src/sqlite/open.ts', import.meta.url));

/**
 * Bundles one entry into a folder. What every start needs is one file, what is imported on first use has files of
 * its own, and the own toolsets are written down beside them, so that a start can list them without their code.
 */
export async function bundleServer(entry: string, outdir: string, name: string): Promise<void> {
  const description = writeDescription(await describeOwn());
  const bundle = await rolldown({
    input: { [name]: entry },
    platform: 'node',
    external: EXTERNAL,
    plugins: [lightBuiltins],
    transform: { target: 'node22' },
    // The task engine is part of every host; only its toolset is asked for like the others.
    checks: { ineffectiveDynamicImport: false },
  });
  const output: OutputOptions = {
    dir: outdir,
    format: 'esm',
    sourcemap: true,
    // Names stay, so that a stack in a log can be read.
    minify: { compress: true, mangle: false, codegen: true },
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  };
  const start = await startModules(bundle, output, entry);
  const { output: files } = await bundle.write({
    ...output,
    codeSplitting: { groups: [{ name: 'start', test: (id) => start.has(id) }] },
  });
  await bundle.close();
  for (const file of files) if (file.type === 'chunk') await writeInAscii(file, outdir);
  for (const [file, program] of Object.entries(PROGRAMS)) await bundleProgram(program, join(outdir, file));
  await writeFile(join(outdir, DESCRIPTION_FILE), description);
}

/** One character beyond Latin-1 makes the engine keep the whole file with two bytes for each. */
async function writeInAscii({ fileName, code, map }: OutputChunk, outdir: string): Promise<void> {
  if (map === null || !/[^\0-\x7f]/.test(code)) return;
  const written = await transform(`${code}\n//# sourceMappingURL=${map.toUrl()}`, {
    charset: 'ascii',
    minifyWhitespace: true,
    sourcefile: fileName,
    sourcemap: 'external',
    target: 'node22',
  });
  const path = join(outdir, fileName);
  await writeFile(path, `${written.code}//# sourceMappingURL=${fileName}.map\n`);
  await writeFile(`${path}.map`, written.map);
}

/** What runs in a thread or a process of its own is a file of its own, found beside the code that starts it. */
async function bundleProgram(entry: string, file: string): Promise<void> {
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: EXTERNAL,
    plugins: [lightBuiltins],
    transform: { target: 'node22' },
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
}

/** The modules that are loaded before the first answer. */
async function startModules(
  bundle: RolldownBuild,
  output: OutputOptions,
  entry: string,
): Promise<Set<string>> {
  const { output: files } = await bundle.generate({ ...output, minify: false, sourcemap: false });
  const chunks = files.filter((file): file is OutputChunk => file.type === 'chunk');
  const left = chunks.filter(({ isEntry, facadeModuleId }) => isEntry || facadeModuleId === USUAL_ENGINE);
  const loaded = new Set(left);
  for (const chunk of left) {
    for (const imported of chunks.filter(({ fileName }) => chunk.imports.includes(fileName))) {
      if (!loaded.has(imported)) left.push(imported);
      loaded.add(imported);
    }
  }
  const modules = new Set([...loaded].flatMap(({ moduleIds }) => moduleIds));
  // An entry may wait for what it starts, and what is loaded meanwhile must not wait for the entry.
  modules.delete(entry);
  return modules;
}
