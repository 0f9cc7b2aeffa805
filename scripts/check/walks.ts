/** Owns the promise that the walks of the architecture page are true: each file is there, and an earlier one leads to it. */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { entriesOf } from './entries.ts';
import type { Finding } from './finding.ts';
import type { SourceFile, SourceTree } from './source-tree.ts';

/** One file of a walk, and what the page says happens there. */
export interface Step {
  readonly path: string;
  readonly says: string;
  readonly line: number;
}

/** The table of files under a heading; the first of them is where the walk begins. */
export interface Walk {
  readonly title: string;
  readonly steps: Step[];
}

/** The page that holds the walks. */
export const WALKS_PAGE = 'docs/architecture.md';

const HEADING = /^#{2,6} +(\S.*)$/;
// A row of a walk begins with a link to a source file, from the folder of the page.
const ROW = /^\| \[[^\]]+\]\(\.\.\/([^)#]+\.ts)\) \| ([^|]+) \|$/;

/** Reads the walks from the text of the page, one for each heading with such a table. */
export function readWalks(text: string): Walk[] {
  const walks: Walk[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const title = HEADING.exec(line)?.[1];
    if (title !== undefined) walks.push({ title, steps: [] });
    const [, path, says] = ROW.exec(line) ?? [];
    if (path !== undefined && says !== undefined) walks.at(-1)?.steps.push({ path, says, line: index + 1 });
  }
  return walks.filter(({ steps }) => steps.length > 0);
}

/** Checks every walk of the page against the code. */
export function checkWalks(tree: SourceTree): Finding[] {
  const page = join(tree.root, WALKS_PAGE);
  if (!existsSync(page)) return [];
  const files = new Map(tree.files.map((file) => [file.path, file]));
  return readWalks(readFileSync(page, 'utf8')).flatMap(({ title, steps }) => {
    const reached = new Set<string>();
    return steps.flatMap(({ path, says, line }, index) => {
      const at = { file: WALKS_PAGE, line };
      const file = files.get(path);
      if (file === undefined) {
        return [{ ...at, rule: 'walk', message: `${path} is no file; name the one that does this now` }];
      }
      const isLed = index === 0 || reached.has(path);
      for (const target of importedBy(tree, files, file)) reached.add(target);
      const message = `no earlier file of '${title}' imports ${path}; put the steps in their true order`;
      return [
        ...(isLed ? [] : [{ ...at, rule: 'walk', message }]),
        ...missingNames(file, says).map((name) => ({
          ...at,
          rule: 'walk-name',
          message: `${path} has no '${name}'; write the name that stands there`,
        })),
      ];
    });
  });
}

/** The names that the page writes as `name()` and the file does not have. */
function missingNames(file: SourceFile, says: string): string[] {
  const names = [...says.matchAll(/`(\w+)\(\)`/g)].map((match) => match[1] ?? '');
  return names.filter((name) => !new RegExp(String.raw`\b${name}\b`).test(file.text));
}

type Files = ReadonlyMap<string, SourceFile>;

/** Every file that a file imports, itself or behind the entry of a package. */
function importedBy(tree: SourceTree, files: Files, file: SourceFile): string[] {
  return file.imports.flatMap(({ specifier, names }) => {
    if (specifier.startsWith('.')) return [besides(file, specifier)];
    const entry = entryOf(tree, specifier);
    return entry === undefined
      ? []
      : [entry, ...names.flatMap(({ imported }) => behind(files, entry, imported))];
  });
}

function besides(file: SourceFile, specifier: string): string {
  return posix.join(posix.dirname(file.path), specifier);
}

function entryOf(tree: SourceTree, specifier: string): string | undefined {
  const owner = tree.packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (owner === undefined) return undefined;
  const subpath = `.${specifier.slice(owner.name.length)}`;
  return entriesOf(owner).find((entry) => entry.subpath === subpath)?.path;
}

/** The files that an entry takes a name from, down to the one that writes it; `*` stands for every name. */
function behind(files: Files, path: string, wanted: string): string[] {
  const file = files.get(path);
  if (file === undefined) return [];
  return file.exports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, exportName, importName }) => {
      const isWanted = wanted === '*' || exportName.name === wanted || exportName.name === null;
      if (moduleRequest === null || !moduleRequest.value.startsWith('.') || !isWanted) return [];
      const target = besides(file, moduleRequest.value);
      return [target, ...behind(files, target, importName.name ?? wanted)];
    }),
  );
}
