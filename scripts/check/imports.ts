/** Owns finding everything a file imports, in each form the language has. */
import { identifierName, isNode, literalText, propertyName, walk } from './syntax-tree.ts';
import type { SyntaxNode } from './syntax-tree.ts';

/** One import, re-export, dynamic import or require. */
export interface ImportUse {
  specifier: string;
  /** True only if nothing remains of it at run time. */
  isTypeOnly: boolean;
  isDynamic: boolean;
  offset: number;
  /** Imported name to local name; the whole module is `*`. */
  names: { imported: string; local: string }[];
}

/** Lists the imports of a parsed file; text in strings and comments is not an import. */
export function findImports(program: SyntaxNode): ImportUse[] {
  const uses: ImportUse[] = [];
  walk(program, (node) => {
    const use = readStatic(node) ?? readCall(node);
    if (use) uses.push(use);
  });
  return uses;
}

function readStatic(node: SyntaxNode): ImportUse | undefined {
  const specifier = literalText(node['source']);
  const offset = node.start;
  if (node.type === 'ImportDeclaration' && specifier !== undefined) {
    const isTypeOnly = node['importKind'] === 'type';
    return { specifier, isTypeOnly, isDynamic: false, offset, names: readNames(node) };
  }
  if (node.type.startsWith('Export') && specifier !== undefined) {
    const isTypeOnly = node['exportKind'] === 'type';
    return { specifier, isTypeOnly, isDynamic: false, offset, names: readNames(node) };
  }
  if (node.type === 'TSImportType') {
    const text = specifier ?? literalText(node['argument']);
    return text === undefined
      ? undefined
      : { specifier: text, isTypeOnly: true, isDynamic: false, offset, names: [] };
  }
  if (node.type === 'TSExternalModuleReference') {
    const text = literalText(node['expression']);
    return text === undefined ? undefined : wholeModule(text, offset);
  }
  return undefined;
}

function readNames(node: SyntaxNode): ImportUse['names'] {
  if (node.type === 'ExportAllDeclaration') return [{ imported: '*', local: '*' }];
  const specifiers = Array.isArray(node['specifiers']) ? node['specifiers'].filter(isNode) : [];
  return specifiers
    .filter((specifier) => specifier['importKind'] !== 'type' && specifier['exportKind'] !== 'type')
    .map((specifier) => {
      const local = identifierName(specifier['local']) ?? '';
      if (specifier.type === 'ImportSpecifier') {
        const imported = specifier['imported'];
        return { imported: identifierName(imported) ?? literalText(imported) ?? '', local };
      }
      return { imported: specifier.type === 'ExportSpecifier' ? local : '*', local };
    });
}

function readCall(node: SyntaxNode): ImportUse | undefined {
  if (node.type === 'ImportExpression') {
    const specifier = literalText(node['source']);
    return specifier === undefined ? undefined : wholeModule(specifier, node.start);
  }
  if (node.type !== 'CallExpression' || !Array.isArray(node['arguments'])) return undefined;
  const callee = node['callee'];
  const isLoader =
    identifierName(callee) === 'require' || (isNode(callee) && propertyName(callee) === 'getBuiltinModule');
  const specifier = literalText(node['arguments'][0]);
  return isLoader && specifier !== undefined ? wholeModule(specifier, node.start) : undefined;
}

function wholeModule(specifier: string, offset: number): ImportUse {
  return {
    specifier,
    isTypeOnly: false,
    isDynamic: true,
    offset,
    names: [{ imported: '*', local: '' }],
  };
}
