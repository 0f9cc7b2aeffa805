/** Owns reading a checkout: its packages, its files and what each parsed file imports and exports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import type { ParseResult } from 'rolldown/utils';
import { findImports } from './imports.ts';
import type { ImportUse } from './imports.ts';
import type { SyntaxNode } from './syntax-tree.ts';

/** The fields of a package.json that the checks read. */
export interface Manifest {
  name?: string;
  exports?: Record<string, unknown>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** A workspace package: `folder` is its path from the root, such as `packages/kit`. */
export interface WorkspacePackage {
  folder: string;
  name: string;
  manifest: Manifest;
}

/** A parsed source file; paths are relative to the root and use forward slashes. */
export interface SourceFile {
  path: string;
  text: string;
  isTest: boolean;
  /** The package the file belongs to, absent for files of the workspace itself. */
  owner: WorkspacePackage | undefined;
  program: SyntaxNode;
  comments: ParseResult['comments'];
  exports: ParseResult['module']['staticExports'];
  imports: ImportUse[];
  parseErrors: string[];
}

/** Everything the checks look at, read once. */
export interface SourceTree {
  root: string;
  rootManifest: Manifest;
  packages: WorkspacePackage[];
  paths: string[];
  files: SourceFile[];
}

const SOURCE_FOLDERS = ['packages', 'apps', 'examples', 'test', 'bench', 'scripts'];
const SKIPPED_NAMES = new Set(['node_modules', 'dist', 'coverage', 'fixtures']);
const SKIPPED_PATHS = new Set(['test/tools', 'test/artifacts', 'test/conformance/out']);

/** Reads the workspace that stands at a root folder. */
export function readSourceTree(root: string): SourceTree {
  const packages = ['packages', 'apps', 'examples', 'test'].flatMap((folder) => readPackages(root, folder));
  const paths = SOURCE_FOLDERS.flatMap((folder) => listFiles(root, folder));
  const rootFiles = readdirSync(root).filter((name) => name.endsWith('.config.ts'));
  const files = [...rootFiles, ...paths]
    .filter((path) => /\.(ts|tsx|mts|js|mjs|cjs)$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => readSourceFile(root, path, packages));
  return { root, rootManifest: readManifest(join(root, 'package.json')), packages, paths, files };
}

/** Lists all files under a folder of the root, without dependencies, build output and fixtures. */
export function listFiles(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.name.startsWith('.') || SKIPPED_NAMES.has(entry.name) || SKIPPED_PATHS.has(path)) return [];
      return entry.isDirectory() ? listFiles(root, path) : entry.isFile() ? [path] : [];
    });
}

/** Tells on which line of a text an offset stands, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function readPackages(root: string, folder: string): WorkspacePackage[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .toSorted()
    .filter((name) => existsSync(join(root, folder, name, 'package.json')))
    .filter((name) => !SKIPPED_PATHS.has(`${folder}/${name}`))
    .map((name) => {
      const manifest = readManifest(join(root, folder, name, 'package.json'));
      return { folder: `${folder}/${name}`, name: manifest.name ?? name, manifest };
    });
}

function readManifest(path: string): Manifest {
  // npm itself refuses a manifest of another shape
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : {};
}

function readSourceFile(root: string, path: string, packages: WorkspacePackage[]): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const parsed = parseSync(path, text);
  // Every node of the parser has type, start and end
  const program = parsed.program as unknown as SyntaxNode;
  return {
    path,
    text,
    // A package keeps what only its tests need in a folder of its own.
    isTest: /\.test(-d)?\.tsx?$/.test(path) || /^(packages|apps)\/[^/]+\/test\//.test(path),
    owner: packages.find((candidate) => path.startsWith(`${candidate.folder}/`)),
    program,
    comments: parsed.comments,
    exports: parsed.module.staticExports,
    imports: findImports(program),
    parseErrors: parsed.errors.map((error) => error.message),
  };
}
