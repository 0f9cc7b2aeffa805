/** Owns the rules on which package may import which: order of the base, toolsets, apps, browser code. */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { Finding } from './finding.ts';
import type { ImportUse } from './imports.ts';
import { lineAt } from './source-tree.ts';
import type { SourceFile, SourceTree, WorkspacePackage } from './source-tree.ts';

const BASE = ['kit', 'store', 'identity', 'http', 'tasks', 'events', 'connections'];

const allowedImports: Record<string, readonly string[]> = {
  kit: [],
  store: [],
  identity: ['kit', 'store'],
  http: ['kit', 'store', 'identity'],
  tasks: ['kit', 'store', 'identity'],
  events: ['kit', 'store', 'identity', 'tasks'],
  connections: ['kit', 'store', 'identity', 'http', 'tasks', 'events'],
  gateway: BASE,
  annotations: BASE,
  feedback: BASE,
  mesh: BASE,
  agent: BASE,
};

// What tests share; whatever ships must run without it, and the tests of every package may use it.
const TEST_SUPPORT = 'test/support';

const BROWSER_FOLDERS = ['apps/console/src/', 'packages/annotations/src/overlay/'];

/** Tells whether a file runs in the browser, where the server's rules on requests do not apply. */
export function isBrowserFile(path: string): boolean {
  return BROWSER_FOLDERS.some((folder) => path.startsWith(folder));
}

/** Checks the order of packages in every package.json. */
export function checkManifests(tree: SourceTree): Finding[] {
  return tree.packages.flatMap((importer) => {
    const manifest = importer.manifest;
    const names = Object.keys({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.peerDependencies,
      ...manifest.optionalDependencies,
    });
    return [
      ...(isKnownPackage(importer) ? [] : [unknownPackage(importer)]),
      ...names.flatMap((name) => {
        const target = tree.packages.find((candidate) => candidate.name === name);
        const refusal = target && refuseImport(importer, target);
        const file = `${importer.folder}/package.json`;
        return refusal === undefined ? [] : [{ ...refusal, file, line: 1 }];
      }),
    ];
  });
}

/** Checks every import of a file that belongs to a package. */
export function checkImports(tree: SourceTree, file: SourceFile): Finding[] {
  const owner = file.owner;
  if (!owner) return [];
  return file.imports.flatMap((use) => {
    const findings = isBrowserFile(file.path) ? checkBrowserImport(tree, use) : [];
    if (use.specifier.startsWith('.')) findings.push(...checkRelative(owner, file, use));
    else if (!isBuiltin(use.specifier) && !/^(#|\w+:)/.test(use.specifier))
      findings.push(...checkBare(tree, owner, file, use));
    return findings.map((finding) => ({
      ...finding,
      file: file.path,
      line: lineAt(file.text, use.offset),
    }));
  });
}

interface Refusal {
  rule: string;
  message: string;
}

function isKnownPackage(target: WorkspacePackage): boolean {
  const [group, name = ''] = target.folder.split('/');
  return group !== 'packages' || name in allowedImports;
}

function unknownPackage(target: WorkspacePackage): Finding {
  const message =
    'this package has no place in the order; add it to allowedImports in scripts/check/import-rules.ts';
  return { rule: 'import-order', file: `${target.folder}/package.json`, line: 1, message };
}

function refuseImport(importer: WorkspacePackage, target: WorkspacePackage): Refusal | undefined {
  if (importer.folder === target.folder) return undefined;
  if (target.folder === TEST_SUPPORT) {
    const message = `only tests import ${target.name}, by the development dependency of the root; remove it here`;
    return { rule: 'test-support', message };
  }
  if (importer.folder === TEST_SUPPORT) {
    const message = `the tests of every package use ${TEST_SUPPORT}, so it imports none; move the code to its package`;
    return { rule: 'test-support', message };
  }
  if (!target.folder.startsWith('packages/')) {
    const message = `nothing imports an app or an example; move what is shared out of ${target.folder} into a package`;
    return { rule: 'no-app-import', message };
  }
  if (!importer.folder.startsWith('packages/')) return undefined;
  const targetName = target.folder.slice('packages/'.length);
  const allowed = allowedImports[importer.folder.slice('packages/'.length)] ?? [];
  if (allowed.includes(targetName)) return undefined;
  const list = allowed.length === 0 ? 'no workspace package' : `only ${allowed.join(', ')}`;
  return {
    rule: 'import-order',
    message: `${importer.folder} may import ${list}; take ${targetName} in as an argument or move the code`,
  };
}

function checkRelative(owner: WorkspacePackage, file: SourceFile, use: ImportUse): Refusal[] {
  const path = posix.join(posix.dirname(file.path), use.specifier);
  if (path.startsWith(`${owner.folder}/`)) return [];
  const message = `'${use.specifier}' leaves ${owner.folder}; import the other package by its name`;
  return [{ rule: 'no-internals', message }];
}

function checkBare(tree: SourceTree, owner: WorkspacePackage, file: SourceFile, use: ImportUse): Refusal[] {
  const name = packageNameOf(use.specifier);
  const target = tree.packages.find((candidate) => candidate.name === name);
  const findings: Refusal[] = [];
  const isForTests = file.isTest && target?.folder === TEST_SUPPORT;
  const refusal = target && !isForTests ? refuseImport(owner, target) : undefined;
  if (refusal) findings.push(refusal);
  if (target && !isExported(target, `.${use.specifier.slice(name.length)}`)) {
    const message = `'${use.specifier}' is not in the exports of ${target.folder}; import what it exports`;
    findings.push({ rule: 'no-internals', message });
  }
  if (!isDeclared(tree, owner, file, name)) {
    const message = `'${name}' is missing in the dependencies of ${owner.folder}/package.json; add it there`;
    findings.push({ rule: 'declared-dependency', message });
  }
  return findings;
}

function isDeclared(tree: SourceTree, owner: WorkspacePackage, file: SourceFile, name: string): boolean {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = owner.manifest;
  const lists = [dependencies, peerDependencies, optionalDependencies];
  const isShipped = /\/src\/(?!testing\/)/.test(file.path);
  if (file.isTest || !isShipped) {
    lists.push(devDependencies, tree.rootManifest.devDependencies);
  }
  return name === owner.name || lists.some((list) => list !== undefined && name in list);
}

function isExported(target: WorkspacePackage, subpath: string): boolean {
  return Object.keys(target.manifest.exports ?? {}).some((key) => {
    const [before = '', after] = key.split('*');
    return after === undefined ? key === subpath : subpath.startsWith(before) && subpath.endsWith(after);
  });
}

function checkBrowserImport(tree: SourceTree, use: ImportUse): Refusal[] {
  if (use.isTypeOnly) return [];
  if (isBuiltin(use.specifier)) {
    return [{ rule: 'browser-code', message: `'${use.specifier}' does not exist in a browser; remove it` }];
  }
  const name = packageNameOf(use.specifier);
  if (!tree.packages.some((candidate) => candidate.name === name)) return [];
  const message = `browser code takes only types from the workspace; write 'import type' for '${name}' or call the API`;
  return [{ rule: 'browser-code', message }];
}

function packageNameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
