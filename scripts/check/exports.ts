/** Owns the list of public names of each package and its comparison with the recorded one. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { entriesOf } from './entries.ts';
import type { Finding, Report } from './finding.ts';
import { readSourceTree } from './source-tree.ts';
import type { SourceFile, SourceTree, WorkspacePackage } from './source-tree.ts';

const SNAPSHOT_FOLDER = 'test/house/exports';

/** Compares the public names with `test/house/exports`, or records them there when `update` is set. */
export function checkExports(root: string, options: { update?: boolean } = {}): Report {
  const tree = readSourceTree(root);
  const lists = new Map(
    tree.packages
      .filter((owner) => /^(packages|apps)\//.test(owner.folder) && owner.manifest.exports !== undefined)
      .map((owner) => [`${basename(owner.folder)}.txt`, listExports(tree, owner)]),
  );
  if (options.update === true) {
    recordLists(join(root, SNAPSHOT_FOLDER), lists);
    return { findings: [], notes: [`recorded ${lists.size} lists in ${SNAPSHOT_FOLDER}`] };
  }
  return { findings: [...findMissing(tree), ...compareLists(join(root, SNAPSHOT_FOLDER), lists)], notes: [] };
}

/** Lists the public names of a package as text, entry by entry. */
export function listExports(tree: SourceTree, owner: WorkspacePackage): string {
  const lines = entriesOf(owner).flatMap(({ subpath, path }) => {
    const file = tree.files.find((candidate) => candidate.path === path);
    const names = file ? exportedNames(file) : [`file ${path.slice(owner.folder.length + 1)}`];
    return [subpath, ...names.map((name) => `  ${name}`)];
  });
  return `${lines.join('\n')}\n`;
}

function findMissing(tree: SourceTree): Finding[] {
  return tree.packages.flatMap((owner) =>
    entriesOf(owner)
      .filter(({ path }) => path.startsWith(`${owner.folder}/src/`) && !tree.paths.includes(path))
      .map(({ subpath, path }) => ({
        rule: 'missing-entry',
        file: `${owner.folder}/package.json`,
        line: 1,
        message: `'${subpath}' leads to ${path}, which does not exist; write the file or remove the entry`,
      })),
  );
}

function exportedNames(file: SourceFile): string[] {
  const names = file.exports.flatMap((statement) =>
    statement.entries.map(({ exportName, isType, moduleRequest }) => {
      const name =
        exportName.name ?? (exportName.kind === 'Default' ? 'default' : `* of ${moduleRequest?.value}`);
      return isType ? `type ${name}` : name;
    }),
  );
  return [...new Set(names)].toSorted();
}

function recordLists(folder: string, lists: Map<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!lists.has(name)) rmSync(join(folder, name));
  for (const [name, list] of lists) writeFileSync(join(folder, name), list);
}

function compareLists(folder: string, lists: Map<string, string>): Finding[] {
  const recorded = existsSync(folder) ? readdirSync(folder) : [];
  const names = [...new Set([...lists.keys(), ...recorded])].toSorted();
  return names.flatMap((name) => {
    const path = join(folder, name);
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const changes = describeChanges(before, lists.get(name) ?? '');
    if (changes.length === 0) return [];
    const message = [
      "the public names changed; undo it, or record it with 'npm run check -- exports --update'",
      ...changes,
    ].join('\n    ');
    return [{ rule: 'exports', file: `${SNAPSHOT_FOLDER}/${name}`, line: 1, message }];
  });
}

function describeChanges(before: string, after: string): string[] {
  const old = qualifiedNames(before);
  const now = qualifiedNames(after);
  return [
    ...old.filter((name) => !now.includes(name)).map((name) => `- ${name}`),
    ...now.filter((name) => !old.includes(name)).map((name) => `+ ${name}`),
  ];
}

function qualifiedNames(list: string): string[] {
  let entry = '';
  return list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      if (!line.startsWith(' ')) entry = line;
      return line.startsWith(' ') ? `${entry} ${line.trim()}` : entry;
    });
}
