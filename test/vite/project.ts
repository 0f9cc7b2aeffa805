/** Owns throwaway Vite projects: a sample copied to a temporary folder, with the frameworks of test/tools beside it. */
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const tools = join(import.meta.dirname, '../tools');
const annotations = join(import.meta.dirname, '../../packages/annotations');

/** A copy of a sample that a test may change. */
export interface SampleProject extends AsyncDisposable {
  readonly root: string;
}

/** Copies a folder into a temporary project that finds the frameworks and this package as if they were installed. */
export async function copyProject(folder: string): Promise<SampleProject> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'parley-vite-')));
  await cp(folder, root, { recursive: true });
  const modules = join(root, 'node_modules');
  await mkdir(join(modules, '@parley'), { recursive: true });
  await symlink(annotations, join(modules, '@parley/annotations'));
  for (const name of LINKED) {
    await mkdir(join(modules, name, '..'), { recursive: true });
    await symlink(join(tools, 'node_modules', name), join(modules, name));
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

const LINKED = ['vite', 'react', 'react-dom', 'vue', 'svelte', 'rxjs', '@angular', '@vitejs', '@sveltejs'];

/** Copies one of the sample apps beside this file. */
export function copySample(name: string): Promise<SampleProject> {
  return copyProject(join(import.meta.dirname, 'fixtures', name));
}

/** Imports a package of test/tools as the sample apps see it. */
export async function importTool<Module>(name: string): Promise<Module> {
  const require = createRequire(join(tools, 'package.json'));
  // The packages of test/tools are not installed where the type check looks.
  return (await import(pathToFileURL(require.resolve(name)).href)) as Module;
}
