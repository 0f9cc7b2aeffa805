/** Owns a copy of this project in a temporary folder, so that the agent's edit does not change the example itself. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const here = import.meta.dirname;
const installed = findPackages();
const PAGE = ['package.json', 'index.html', 'vite.config.js', 'src'];
const INSTALLED = ['vite', 'react', 'react-dom', '@vitejs'];

/** Copies the project and gives it the packages that an install would bring. */
export async function copyProject(): Promise<{ root: string } & AsyncDisposable> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'parley-annotate-')));
  for (const name of PAGE) await cp(join(here, name), join(root, name), { recursive: true });
  const modules = join(root, 'node_modules');
  await mkdir(join(modules, '@parley'), { recursive: true });
  await symlink(join(here, '../../packages/annotations'), join(modules, '@parley/annotations'));
  for (const name of INSTALLED) await symlink(join(installed, 'node_modules', name), join(modules, name));
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** Loads a package that drives the example from outside. */
export function requireTool<Module>(name: string): Module {
  // It is not installed where the type check looks.
  return createRequire(join(installed, 'package.json'))(name) as Module;
}

/** Where the packages of this project are: here after an install, or with the test tools, which have the same versions. */
function findPackages(): string {
  const places = [here, join(here, '../../test/tools')];
  const found = places.find((place) => existsSync(join(place, 'node_modules/vite')));
  if (found === undefined) throw new Error(`The packages are missing. Run "npm install" in ${here}.`);
  return found;
}

/** Runs Vite's command line in a project. */
export function runVite(root: string, ...args: string[]) {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  return spawn(process.execPath, [vite, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Starts the dev server and returns its URL. */
export function startDevServer(root: string): Promise<{ url: string } & AsyncDisposable> {
  const child = runVite(root, '--host', '127.0.0.1', '--port', '0');
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += stripVTControlCharacters(text);
      const [url] = /http:\/\/\S+(?=\s)/.exec(printed) ?? [];
      if (url !== undefined) resolve({ url, [Symbol.asyncDispose]: stop });
    });
    child.once('exit', () => reject(new Error(`Vite ended before it told its URL; it said: ${printed}`)));
  });
}
