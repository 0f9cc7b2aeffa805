/** Owns the walk over a parsed module, for the few node types that carry sources. */

/** A node of the syntax tree, as far as this package looks into it. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Parses a module of this language; `this.parse` of the dev server's plugin context. */
export type Parse = (code: string, language: 'ts' | 'tsx' | 'jsx') => SyntaxNode;

/** Calls `visit` for each node of the tree, parents first. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit);
    }
  }
}

/** Tells whether a value in the tree is a node. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
