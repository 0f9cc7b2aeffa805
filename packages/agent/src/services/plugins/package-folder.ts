/** From the name of a package to its folder: below the data folder, or a module that Node finds from there. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ToolError } from '@parley/kit';
import { digestOf, isWithin } from './package-digest.ts';

/** A package that can be run. */
export interface PackageFolder {
  /** Its real path. */
  readonly folder: string;
  /** The file that exports the plugin. */
  readonly entry: string;
  /** Of all its files. */
  readonly digest: string;
}

// The names that npm knows; none of them is a path.
const PACKAGE = /^(?:@[a-z0-9][a-z0-9._-]{0,99}\/)?[a-z0-9][a-z0-9._-]{0,99}$/;
const MOST_BYTES = 65_536;

/** Finds the package; throws `invalid` or `not_found`. */
export async function findPackage(dataDir: string, name: string): Promise<PackageFolder> {
  if (!PACKAGE.test(name))
    throw new ToolError('invalid', 'package_name: must be the name of a package, never a path');
  const folder = (await inPlugins(dataDir, name)) ?? (await inModules(dataDir, name));
  if (folder === undefined)
    throw new ToolError(
      'not_found',
      `There is no package "${name}". Put its folder into plugins/ in the data folder, or install it there with npm.`,
    );
  const digest = await digestOf(folder);
  return { folder, entry: await entryOf(folder), digest };
}

async function inPlugins(dataDir: string, name: string): Promise<string | undefined> {
  const plugins = await realFolder(join(dataDir, 'plugins'));
  const folder = plugins && (await realFolder(join(plugins, name)));
  return folder !== undefined && plugins !== undefined && isWithin(plugins, folder) ? folder : undefined;
}

async function inModules(dataDir: string, name: string): Promise<string | undefined> {
  for (let from = resolve(dataDir); ; from = dirname(from)) {
    const folder = await realFolder(join(from, 'node_modules', name));
    if (folder !== undefined) return folder;
    if (from === dirname(from)) return undefined;
  }
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

async function entryOf(folder: string): Promise<string> {
  const entry = resolve(folder, mainOf(await packageJsonOf(folder)));
  // What is not there is refused below.
  const real = await realpath(entry).catch(() => undefined);
  if (real === undefined || !isWithin(folder, real))
    throw new ToolError(
      'invalid',
      'The package has no file that can be loaded: name it as main in package.json.',
    );
  return real;
}

async function packageJsonOf(folder: string): Promise<Record<string, unknown>> {
  const path = join(folder, 'package.json');
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size === 0) return {};
  if (size > MOST_BYTES) throw new ToolError('invalid', `package.json has more than ${MOST_BYTES} bytes.`);
  try {
    const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    throw new ToolError('invalid', 'package.json of the package is not valid JSON.');
  }
}

function mainOf({ exports, main }: Record<string, unknown>): string {
  for (const given of [
    exports,
    fieldOf(exports, '.'),
    fieldOf(fieldOf(exports, '.'), 'import'),
    fieldOf(fieldOf(exports, '.'), 'default'),
    main,
  ])
    if (typeof given === 'string') return given;
  return 'index.js';
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
