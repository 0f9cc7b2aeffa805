/** Owns the source attribute of elements written in JSX: React 19 drops the place that the compiler hands it. */
import type { Changed, Insertion } from './insertions.ts';
import { insertAll } from './insertions.ts';
import { linesOf, projectPath, SOURCE_ATTRIBUTE } from './source-place.ts';
import type { Parse, SyntaxNode } from './syntax-walk.ts';
import { isNode, walk } from './syntax-walk.ts';

// Renderers for other things than pages use lower-case names of their own and choke on a strange property.
const HTML_TAGS = new Set(
  `a abbr address article aside audio b bdi bdo blockquote body br button canvas caption cite code col colgroup
  data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 h2 h3 h4
  h5 h6 header hgroup hr i iframe img input ins kbd label legend li main map mark menu meter nav object ol
  optgroup option output p picture pre progress q rp rt ruby s samp search section select slot small source span
  strong sub summary sup svg table tbody td textarea tfoot th thead time tr track u ul var video wbr`.split(
    /\s+/,
  ),
);

/** Marks each HTML element of a JSX module with its place; undefined when there is nothing to mark. */
export function markJsx(code: string, id: string, root: string, parse: Parse): Changed | undefined {
  const path = projectPath(root, id);
  const at = linesOf(code);
  const insertions: Insertion[] = [];
  walk(parse(code, path.endsWith('.jsx') ? 'jsx' : 'tsx'), (node) => {
    const name = tagOf(node);
    if (name === undefined || hasSourceAttribute(node)) return;
    const place = escapeAttribute(`${path}:${at(node.start)}`);
    insertions.push({ offset: name.end, text: ` ${SOURCE_ATTRIBUTE}="${place}"` });
  });
  if (insertions.length === 0) return undefined;
  return insertAll(
    code,
    insertions.toSorted((one, other) => one.offset - other.offset),
    id,
  );
}

function tagOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type !== 'JSXOpeningElement' || !isNode(node.name)) return undefined;
  const { type, name } = node.name;
  if (type !== 'JSXIdentifier' || typeof name !== 'string') return undefined;
  return HTML_TAGS.has(name) || name.includes('-') ? node.name : undefined;
}

function hasSourceAttribute({ attributes }: SyntaxNode): boolean {
  if (!Array.isArray(attributes)) return false;
  return attributes.some((attribute) => isNode(attribute) && nameOf(attribute) === SOURCE_ATTRIBUTE);
}

function nameOf({ name }: SyntaxNode): unknown {
  return isNode(name) ? name.name : undefined;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
