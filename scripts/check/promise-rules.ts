/** Owns the rules on promises that nobody waits for; the linter finds those that nothing handles. */
import type { Finding } from './finding.ts';
import { lineAt } from './source-tree.ts';
import type { SourceFile } from './source-tree.ts';
import { identifierName, isNode, propertyName, walkValues } from './syntax-tree.ts';
import type { SyntaxNode } from './syntax-tree.ts';

const HANDLERS = new Set(['then', 'catch', 'finally']);

/** Checks that detached work goes through `detach`, and that a fault which is let go has its reason beside it. */
export function checkPromises(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  const report = (rule: string, node: SyntaxNode, message: string) =>
    findings.push({ rule, file: file.path, line: lineAt(file.text, node.start), message });
  walkValues(file.program, (node, ancestors) => {
    if (isDetachedChain(node) && !file.path.endsWith('/detach.ts')) {
      report('detached-promise', node, 'await it, return it, or give it to detach with its onFault');
    }
    const silent = silentHandlerOf(node);
    if (silent === undefined) return;
    const beside = linesBeside(file, silent, ancestors);
    if (file.comments.some(({ end }) => beside.includes(lineAt(file.text, end)))) return;
    report('silent-fault', silent, 'report the fault, or say in a comment beside it why nobody has to know');
  });
  return findings;
}

/** Where a reason may stand: inside, right before, or before the statement. */
function linesBeside(file: SourceFile, silent: SyntaxNode, ancestors: readonly SyntaxNode[]): number[] {
  const first = lineAt(file.text, silent.start);
  const count = lineAt(file.text, silent.end) - first + 1;
  const inside = Array.from({ length: count }, (_none, index) => first + index);
  if (silent.type === 'CatchClause') return inside;
  const statement = ancestors.findLast(({ type }) => /Statement$|Declaration$|Definition$/.test(type));
  return [lineAt(file.text, (statement ?? silent).start) - 1, first - 1, ...inside];
}

/** A statement that handles a promise's end and lets it go. */
function isDetachedChain(node: SyntaxNode): boolean {
  const call = node['expression'];
  if (node.type !== 'ExpressionStatement' || !isNode(call)) return false;
  const inner = call.type === 'ChainExpression' ? call['expression'] : call;
  return isNode(inner) && inner.type === 'CallExpression' && HANDLERS.has(methodOf(inner));
}

/** The part of a node that takes a fault and does nothing with it. */
function silentHandlerOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === 'CatchClause') return isSilent(node['body']) ? node : undefined;
  if (node.type !== 'CallExpression' || !Array.isArray(node['arguments'])) return undefined;
  const method = methodOf(node);
  const args: unknown[] = node['arguments'];
  const isDetach = identifierName(node['callee']) === 'detach';
  const handler = method === 'catch' ? args[0] : method === 'then' || isDetach ? args[1] : undefined;
  if (!isNode(handler) || !/Function/.test(handler.type)) return undefined;
  return isSilent(handler['body']) ? handler : undefined;
}

function isSilent(body: unknown): boolean {
  if (!isNode(body)) return false;
  if (body.type === 'BlockStatement') return Array.isArray(body['body']) && body['body'].length === 0;
  return identifierName(body) === 'undefined' || (body.type === 'Literal' && body['value'] === null);
}

function methodOf(call: SyntaxNode): string {
  const callee = call['callee'];
  return (isNode(callee) && callee.type === 'MemberExpression' && propertyName(callee)) || '';
}
