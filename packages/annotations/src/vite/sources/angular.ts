/** Owns the class-to-file map of Angular: which component class is written where, kept current by each transform. */
import { dirname, join } from 'node:path/posix';
import { linesOf, projectPath } from './source-place.ts';
import type { Parse, SyntaxNode } from './syntax-walk.ts';
import { isNode, walk } from './syntax-walk.ts';

/** Where a component class and its external template are written. */
export interface ComponentSource {
  readonly className: string;
  readonly sourceFile: string;
  readonly templateFile?: string;
}

/** The module that pages keep the map in, below the dev server's base. */
export const CLASS_MODULE = '/@parley/classes.js';

/** The text of that module: each component's module adds to it, the overlay is told. */
export const CLASS_MODULE_TEXT = `
const files = {};
let tell = () => {};
export function keepClassFiles(more) {
  Object.assign(files, more);
  tell(files);
}
export function onClassFiles(listener) {
  tell = listener;
  listener(files);
}
`;

/** Finds the classes with a `@Component` decorator at the top level of a module. */
export function findComponents(code: string, id: string, root: string, parse: Parse): ComponentSource[] {
  const path = projectPath(root, id);
  const at = linesOf(code);
  const found: ComponentSource[] = [];
  walk(parse(code, 'ts'), (node) => {
    if (node.type !== 'ClassDeclaration' || !isNode(node.id) || typeof node.id.name !== 'string') return;
    const decorator = decoratorsOf(node).find(isComponentDecorator);
    if (decorator === undefined) return;
    const templateUrl = templateUrlOf(decorator);
    found.push({
      className: node.id.name,
      sourceFile: `${path}:${at(classKeyword(code, node))}`,
      ...(templateUrl !== undefined && { templateFile: resolveBeside(path, templateUrl) }),
    });
  });
  return found;
}

/** What is added to a compiled module, so that the page knows where its classes are written. */
export function keepComponents(components: readonly ComponentSource[]): string {
  const files = components.map(({ className, sourceFile, templateFile }) => {
    return [className, { file: sourceFile, template: templateFile }] as const;
  });
  const map = JSON.stringify(Object.fromEntries(files));
  return `\nimport { keepClassFiles as __parleyKeep } from '${CLASS_MODULE}';\n__parleyKeep(${map});\n`;
}

function decoratorsOf({ decorators }: SyntaxNode): SyntaxNode[] {
  return Array.isArray(decorators) ? decorators.filter(isNode) : [];
}

function isComponentDecorator({ expression }: SyntaxNode): boolean {
  if (!isNode(expression) || expression.type !== 'CallExpression') return false;
  return isNode(expression.callee) && expression.callee.name === 'Component';
}

function templateUrlOf({ expression }: SyntaxNode): string | undefined {
  let url: string | undefined;
  if (!isNode(expression)) return undefined;
  walk(expression, ({ type, key, value }) => {
    if (type !== 'Property' || !isNode(key) || !isNode(value)) return;
    const isUrl = key.name === 'templateUrl' || key.value === 'templateUrl';
    if (isUrl && typeof value.value === 'string') url ??= value.value;
  });
  return url;
}

function resolveBeside(path: string, url: string): string {
  return join(dirname(path), url);
}

// A decorated class begins at its first decorator; people look for the line of the class.
function classKeyword(code: string, node: SyntaxNode): number {
  const lastDecorator = decoratorsOf(node).at(-1);
  const from = lastDecorator === undefined ? node.start : lastDecorator.end;
  const keyword = /\b(?:export\b|abstract\b|default\b|class\b)/g;
  keyword.lastIndex = from;
  return keyword.exec(code)?.index ?? node.start;
}
