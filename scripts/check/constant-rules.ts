/** Owns the rule on the names of constants: a value that is written out at the top of a file is in capitals. */
import type { Finding } from './finding.ts';
import { lineAt } from './source-tree.ts';
import type { SourceFile } from './source-tree.ts';
import { identifierName, isNode } from './syntax-tree.ts';
import type { SyntaxNode } from './syntax-tree.ts';

const CAPITALS = /^[A-Z][A-Z0-9_]*$/;
// Types of columns: every migration reads as SQL with them.
const COLUMN_TYPES = new Set(['epochMsColumn', 'jsonColumn']);

/** Checks the constants at the top level of one file. */
export function checkConstants(file: SourceFile): Finding[] {
  return nodesOf(file.program['body'])
    .map((statement) => (isNode(statement['declaration']) ? statement['declaration'] : statement))
    .filter(({ type, kind }) => type === 'VariableDeclaration' && kind === 'const')
    .flatMap((declaration) => nodesOf(declaration['declarations']))
    .flatMap(({ id, init, start }) => {
      const name = identifierName(id);
      if (name === undefined || CAPITALS.test(name) || COLUMN_TYPES.has(name) || !isWrittenOut(init))
        return [];
      const capitals = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
      const message = `call the constant '${name}' ${capitals}, as constants are called everywhere`;
      return [{ rule: 'constant-name', file: file.path, line: lineAt(file.text, start), message }];
    });
}

/** Tells whether a value is a text, a number or a pattern, arithmetic of such, or a list or set of such. */
function isWrittenOut(value: unknown): boolean {
  if (!isNode(value)) return false;
  const parts = (field: string) => nodesOf(value[field]);
  switch (value.type) {
    case 'Literal':
      return true;
    case 'TemplateLiteral':
      return parts('expressions').every(isOperand);
    case 'UnaryExpression':
      return isOperand(value['argument']);
    case 'BinaryExpression':
      return isOperand(value['left']) && isOperand(value['right']);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isWrittenOut(value['expression']);
    case 'ArrayExpression':
      return parts('elements').length > 0 && parts('elements').every(isWrittenOut);
    case 'NewExpression':
      return identifierName(value['callee']) === 'Set' && parts('arguments').some(isWrittenOut);
    default:
      return false;
  }
}

function isOperand(value: unknown): boolean {
  return CAPITALS.test(identifierName(value) ?? '') || isWrittenOut(value);
}

function nodesOf(list: unknown): SyntaxNode[] {
  return Array.isArray(list) ? list.filter(isNode) : [];
}
