/** Owns the rules on names that only their owners write down: toolsets and roles. */
import type { Finding } from './finding.ts';
import { lineAt } from './source-tree.ts';
import type { SourceFile, SourceTree } from './source-tree.ts';
import { identifierName, isNode, literalText, propertyName, walkValues } from './syntax-tree.ts';
import type { SyntaxNode } from './syntax-tree.ts';

const ROLE_NAMES = new Set(['owner', 'admin', 'member', 'user']);
// The console offers the roles to choose from; the server decides what they may do.
const ROLE_FOLDERS = [
  'packages/identity/',
  'packages/kit/src/access/',
  'apps/console/src/',
  // People of the demo hold roles.
  'apps/server/src/demo/',
];
// Commands and screens are named after the toolset that they are for, and the calls of the demo go to some.
const NAMING_TOOLSETS = [
  'apps/server/src/toolsets.ts',
  'apps/server/src/cli/',
  'apps/server/src/console/',
  'apps/server/src/demo/',
  'apps/server/bin/',
  'apps/console/src/',
];

/** Checks that nothing names a toolset but its package and the one list, and nothing a role but identity and toolsets. */
export function checkOwnedNames(tree: SourceTree): Finding[] {
  const shipped = tree.files.filter(isShipped);
  const toolsets = new Map(shipped.flatMap((file) => toolsetsIn(file)));
  const isToolsetPackage = (file: SourceFile) =>
    [...toolsets.values()].some((folder) => file.path.startsWith(`${folder}/`));
  return shipped.flatMap((file) => [
    ...checkToolsetNames(file, toolsets),
    ...(isToolsetPackage(file) ? [] : checkRoleNames(file)),
  ]);
}

function isShipped({ path, isTest }: SourceFile): boolean {
  return /^(packages|apps)\/[^/]+\/(src|bin)\//.test(path) && !isTest && !path.includes('/testing/');
}

/** The toolsets that a package defines, with its folder; those of an app are the product's own. */
function toolsetsIn({ program, owner }: SourceFile): [name: string, folder: string][] {
  const found: [string, string][] = [];
  if (owner === undefined || !owner.folder.startsWith('packages/')) return found;
  walkValues(program, (node) => {
    if (node.type !== 'CallExpression' || identifierName(node['callee']) !== 'defineToolset') return;
    const name = literalText(fieldOf(firstOf(node['arguments']), 'name'));
    if (name !== undefined) found.push([name, owner.folder]);
  });
  return found;
}

function checkToolsetNames(file: SourceFile, toolsets: ReadonlyMap<string, string>): Finding[] {
  if (NAMING_TOOLSETS.some((path) => file.path.startsWith(path))) return [];
  return literalsOf(file).flatMap(({ text, node, parent }) => {
    const folder = toolsets.get(text);
    if (folder === undefined || file.path.startsWith(`${folder}/`)) return [];
    // Whether an object has a field is no question about toolsets.
    if (parent?.['operator'] === 'in') return [];
    const message = `'${text}' is a toolset; let it declare what it needs instead of naming it here`;
    return [{ rule: 'toolset-name', file: file.path, line: lineAt(file.text, node.start), message }];
  });
}

function checkRoleNames(file: SourceFile): Finding[] {
  if (ROLE_FOLDERS.some((folder) => file.path.startsWith(folder))) return [];
  return literalsOf(file).flatMap(({ text, node, parent }) => {
    if (!ROLE_NAMES.has(text)) return [];
    // Messages to models have a role too, and one of them is called the same.
    const isOfMessage = text === 'user' && parent?.type === 'Property' && propertyName(parent) === 'role';
    if (isOfMessage) return [];
    const message = `'${text}' is a role; ask isTeam or mayAdminister, or let a toolset declare its roles`;
    return [{ rule: 'role-name', file: file.path, line: lineAt(file.text, node.start), message }];
  });
}

function literalsOf({ program }: SourceFile) {
  const found: { text: string; node: SyntaxNode; parent: SyntaxNode | undefined }[] = [];
  walkValues(program, (node, ancestors) => {
    const text = literalText(node);
    if (text !== undefined) found.push({ text, node, parent: ancestors.at(-1) });
  });
  return found;
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function fieldOf(object: unknown, name: string): unknown {
  if (!isNode(object) || !Array.isArray(object['properties'])) return undefined;
  return object['properties'].filter(isNode).find((property) => propertyName(property) === name)?.['value'];
}
