/** Owns the rules of the house as one check over a checkout: start here to see which rules exist. */
import { checkConstants } from './constant-rules.ts';
import { checkDialect } from './dialect-rules.ts';
import type { Finding, Report } from './finding.ts';
import { checkImports, checkManifests } from './import-rules.ts';
import { checkOwnedNames } from './name-rules.ts';
import { checkPromises } from './promise-rules.ts';
import { checkReach } from './reach-rules.ts';
import { checkSecrets } from './secret-rules.ts';
import { readSourceTree } from './source-tree.ts';
import { checkExportLists, checkNames, checkStyle } from './style-rules.ts';
import { checkWalks } from './walks.ts';

/** Checks the workspace at a root folder against every rule of the house. */
export function checkBoundaries(root: string): Report {
  const tree = readSourceTree(root);
  const findings: Finding[] = [
    ...tree.files.flatMap((file) =>
      file.parseErrors.map((message) => ({ rule: 'parse', file: file.path, line: 1, message })),
    ),
    ...checkManifests(tree),
    ...checkExportLists(tree),
    ...checkNames(tree),
    ...checkOwnedNames(tree),
    ...checkWalks(tree),
    ...tree.files.flatMap((file) => [
      ...checkImports(tree, file),
      ...checkPromises(file),
      ...checkReach(file),
      ...checkDialect(file),
      ...checkSecrets(file),
      ...checkConstants(file),
      ...checkStyle(file),
    ]),
  ];
  return { findings, notes: [`${tree.files.length} files in ${tree.packages.length} packages`] };
}
