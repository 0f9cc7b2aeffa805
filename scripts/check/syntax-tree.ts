/** Owns walking a parsed file and telling a global name from a local one. */

/** A node of the parsed file; the checks read only the few fields they know. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** Called for each node with its ancestors, nearest last. */
export type Visit = (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void;

const VALUE_WRAPPERS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
  'TSTypeAssertion',
  'TSParameterProperty',
  'TSModuleDeclaration',
  'TSModuleBlock',
  'TSExportAssignment',
]);

/** Tells whether a value found in a node's field is itself a node. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Gives the nodes held directly by a node, in source order of its fields. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flatMap((value) => {
    if (Array.isArray(value)) return value.filter(isNode);
    return isNode(value) ? [value] : [];
  });
}

/** Visits every node, types included. */
export function walk(node: SyntaxNode, visit: Visit, ancestors: readonly SyntaxNode[] = []): void {
  visit(node, ancestors);
  const inner = [...ancestors, node];
  for (const child of childrenOf(node)) walk(child, visit, inner);
}

/** Visits only what exists at run time: types are passed over. */
export function walkValues(node: SyntaxNode, visit: Visit, ancestors: readonly SyntaxNode[] = []): void {
  if (node.type.startsWith('TS') && !VALUE_WRAPPERS.has(node.type)) return;
  if (node.type === 'ImportDeclaration' || node['exportKind'] === 'type') return;
  if (node.type.startsWith('Export') && isNode(node['source'])) return;
  visit(node, ancestors);
  const inner = [...ancestors, node];
  for (const child of childrenOf(node)) walkValues(child, visit, inner);
}

/** Gives the text of a string literal or of a template without holes. */
export function literalText(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node['quasis']) || node['quasis'].length !== 1) {
    return undefined;
  }
  const quasi: unknown = node['quasis'][0];
  const value: unknown = isNode(quasi) ? quasi['value'] : undefined;
  return typeof value === 'object' && value !== null && 'cooked' in value && typeof value.cooked === 'string'
    ? value.cooked
    : undefined;
}

/** Gives the name of an identifier, or undefined for any other node. */
export function identifierName(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string'
    ? node['name']
    : undefined;
}

/** Gives the property a member access or a pattern reads, written with a dot or with a literal in brackets. */
export function propertyName(node: SyntaxNode): string | undefined {
  const key = node['property'] ?? node['key'];
  return node['computed'] === true ? literalText(key) : (identifierName(key) ?? literalText(key));
}

/** Tells whether an identifier is a use of the global of that name, not a key, a label or a local. */
export function isGlobalUse(node: SyntaxNode, ancestors: readonly SyntaxNode[]): boolean {
  const name = identifierName(node);
  const parent = ancestors.at(-1);
  if (name === undefined || parent === undefined) return false;
  const isKey = (parent['key'] === node || parent['property'] === node) && parent['computed'] !== true;
  const isNewName = parent.type === 'ExportSpecifier' && parent['local'] !== node;
  if (isKey || isNewName || parent.type === 'LabeledStatement') return false;
  return !ancestors.some((scope) => namesDeclaredBy(scope).has(name));
}

const declaredNames = new WeakMap<SyntaxNode, Set<string>>();

function namesDeclaredBy(scope: SyntaxNode): Set<string> {
  const known = declaredNames.get(scope);
  if (known) return known;
  const names = new Set<string>();
  if (Array.isArray(scope['params'])) for (const param of scope['params']) collectPattern(param, names);
  collectPattern(scope['id'], names);
  if (scope.type === 'CatchClause') collectPattern(scope['param'], names);
  for (const field of ['init', 'left']) {
    if (scope.type.startsWith('For')) collectDeclaration(scope[field], names);
  }
  const statements = scope.type === 'SwitchCase' ? scope['consequent'] : scope['body'];
  if (Array.isArray(statements)) for (const statement of statements) collectDeclaration(statement, names);
  declaredNames.set(scope, names);
  return names;
}

function collectDeclaration(statement: unknown, names: Set<string>): void {
  if (!isNode(statement)) return;
  if (isNode(statement['declaration'])) return collectDeclaration(statement['declaration'], names);
  if (statement.type === 'ImportDeclaration' && Array.isArray(statement['specifiers'])) {
    for (const specifier of statement['specifiers'].filter(isNode)) collectPattern(specifier['local'], names);
  } else if (statement.type === 'VariableDeclaration' && Array.isArray(statement['declarations'])) {
    for (const declarator of statement['declarations'].filter(isNode))
      collectPattern(declarator['id'], names);
  } else if (statement.type.endsWith('Declaration')) {
    collectPattern(statement['id'], names);
  }
}

function collectPattern(pattern: unknown, names: Set<string>): void {
  if (!isNode(pattern)) return;
  const name = identifierName(pattern);
  if (name !== undefined) names.add(name);
  for (const field of ['value', 'left', 'argument', 'parameter']) collectPattern(pattern[field], names);
  for (const field of ['properties', 'elements']) {
    const parts = pattern[field];
    if (Array.isArray(parts)) for (const part of parts) collectPattern(part, names);
  }
}
