/** Owns the rule that no key, password or token is written down in the code, not even as a default. */
import type { Finding } from './finding.ts';
import { lineAt } from './source-tree.ts';
import type { SourceFile } from './source-tree.ts';
import { identifierName, isNode, literalText, propertyName, walkValues } from './syntax-tree.ts';
import type { SyntaxNode } from './syntax-tree.ts';

/** Functions that take a key, and the place of the key among their arguments. */
const keyedCalls: Readonly<Record<string, number>> = {
  createHmac: 1,
  createCipheriv: 1,
  createDecipheriv: 1,
  createSecretKey: 0,
  hkdf: 1,
  hkdfSync: 1,
  pbkdf2: 0,
  pbkdf2Sync: 0,
  scrypt: 0,
  scryptSync: 0,
};

const SECRET_NAME = /(secret|password|passphrase|token|(api|private|secret|signing|session)_?key)$/i;
// Shorter ones, and those with blanks, are words about secrets.
const SHORTEST_SECRET = 8;

/** Checks one file of a package or an app; tests may write down what they like. */
export function checkSecrets(file: SourceFile): Finding[] {
  if (!/^(packages|apps)\//.test(file.path) || file.isTest) return [];
  const constants = constantsOf(file.program);
  const offsets: number[] = [];
  walkValues(file.program, (node) => {
    if (isKeyedByLiteral(node, constants) || isNamedLiteral(node)) offsets.push(node.start);
  });
  return offsets.map((offset) => ({
    rule: 'literal-key',
    file: file.path,
    line: lineAt(file.text, offset),
    message: 'a secret is made, read from a file or taken in as an argument, never written down in the code',
  }));
}

/** The names that stand for a text throughout a file. */
function constantsOf(program: SyntaxNode): Set<string> {
  const names = new Set<string>();
  walkValues(program, (node) => {
    if (node.type !== 'VariableDeclarator' || !isLiteralBytes(node['init'], names)) return;
    const name = identifierName(node['id']);
    if (name !== undefined) names.add(name);
  });
  return names;
}

/** True for a text, for the bytes of one, and for a name of one. */
function isLiteralBytes(node: unknown, constants: ReadonlySet<string>): boolean {
  if (literalText(node) !== undefined || constants.has(identifierName(node) ?? '')) return true;
  if (!isNode(node) || node.type !== 'CallExpression' || !Array.isArray(node['arguments'])) return false;
  const { callee } = node;
  const isFrom = isNode(callee) && callee.type === 'MemberExpression' && propertyName(callee) === 'from';
  return isFrom && isLiteralBytes(node['arguments'][0], constants);
}

function isKeyedByLiteral(node: SyntaxNode, constants: ReadonlySet<string>): boolean {
  if (node.type !== 'CallExpression' || !Array.isArray(node['arguments'])) return false;
  const { callee } = node;
  const name = identifierName(callee) ?? (isNode(callee) ? propertyName(callee) : undefined) ?? '';
  const at = Object.hasOwn(keyedCalls, name) ? keyedCalls[name] : undefined;
  return at !== undefined && isLiteralBytes(node['arguments'][at], constants);
}

/** True where a text is given to something that is named like a secret: a value, a default, a last resort. */
function isNamedLiteral(node: SyntaxNode): boolean {
  const [name, value] = pairOf(node);
  const text = literalText(value) ?? '';
  return SECRET_NAME.test(name ?? '') && text.length >= SHORTEST_SECRET && !/\s/.test(text);
}

function pairOf(node: SyntaxNode): [name: string | undefined, value: unknown] {
  switch (node.type) {
    case 'VariableDeclarator':
      return [identifierName(node['id']), node['init']];
    case 'Property':
    case 'PropertyDefinition':
      return [propertyName(node), node['value']];
    case 'AssignmentPattern':
    case 'AssignmentExpression':
    case 'LogicalExpression':
      return [nameOf(node['left']), node['right']];
    default:
      return [undefined, undefined];
  }
}

function nameOf(node: unknown): string | undefined {
  return (
    identifierName(node) ??
    (isNode(node) && node.type === 'MemberExpression' ? propertyName(node) : undefined)
  );
}
