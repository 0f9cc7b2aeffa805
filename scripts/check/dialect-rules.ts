/** Owns the rule that what differs between database engines stands in packages/store. */
import type { Finding } from './finding.ts';
import { lineAt } from './source-tree.ts';
import type { SourceFile } from './source-tree.ts';
import { identifierName, isNode, literalText, propertyName, walkValues } from './syntax-tree.ts';
import type { SyntaxNode } from './syntax-tree.ts';

const ENGINES = new Set(['sqlite', 'postgres']);
const LOCK_METHODS = new Set([
  'forUpdate',
  'forShare',
  'forNoKeyUpdate',
  'forKeyShare',
  'skipLocked',
  'noWait',
]);
const LOCK_SQL =
  /\bpg_(try_)?advisory|\bfor\s+(no\s+key\s+)?(update|(key\s+)?share)\b|\bset\s+transaction\b/i;
// Suites for both engines, which other packages' tests import.
const TEST_SUPPORT = /^packages\/[^/]+\/src\/([^/]+\/)*testing\//;

/** Checks one file of a package or an app. */
export function checkDialect(file: SourceFile): Finding[] {
  const isExempt =
    !/^(packages|apps)\//.test(file.path) ||
    file.path.startsWith('packages/store/') ||
    file.isTest ||
    TEST_SUPPORT.test(file.path);
  if (isExempt) return [];
  const findings: Finding[] = [];
  walkValues(file.program, (node, ancestors) => {
    const message = faultOf(node, ancestors.at(-1));
    if (message === undefined) return;
    findings.push({ rule: 'dialect', file: file.path, line: lineAt(file.text, node.start), message });
  });
  return findings;
}

function faultOf(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  const text = literalText(node);
  if (text !== undefined && ENGINES.has(text) && parent?.['key'] !== node)
    return `'${text}' asks for the engine; use what the store offers, or byEngine({ sqlite, postgres }) where nothing is common`;
  if (node.type === 'MemberExpression' && LOCK_METHODS.has(propertyName(node) ?? ''))
    return `${propertyName(node)} is of one engine; use tx.locked(query) or tx.hold(query)`;
  if (isSqlText(node) && LOCK_SQL.test(rawText(node)))
    return 'this lock is of one engine; use tx.locked, tx.hold, tx.exclusive or store.snapshot';
  return undefined;
}

function isSqlText(node: SyntaxNode): boolean {
  if (node.type === 'TaggedTemplateExpression') return identifierName(node['tag']) === 'sql';
  const callee = node.type === 'CallExpression' ? node['callee'] : undefined;
  return isNode(callee) && identifierName(callee['object']) === 'sql' && propertyName(callee) === 'raw';
}

/** The written text of an SQL statement, with its holes left out. */
function rawText(node: SyntaxNode): string {
  const texts: string[] = [];
  walkValues(node, (inner) => {
    const value = inner['value'];
    if (inner.type === 'TemplateElement' && typeof value === 'object' && value !== null && 'raw' in value)
      texts.push(String(value.raw));
    if (inner.type === 'Literal' && typeof value === 'string') texts.push(value);
  });
  return texts.join(' ');
}
