import { SourceMap } from 'node:module';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { markJsx } from './jsx.ts';
import type { Parse, SyntaxNode } from './syntax-walk.ts';

// The tree is walked by name only.
const parse: Parse = (code, lang) => parseAst(code, { lang }) as unknown as SyntaxNode;

function mark(code: string, id = '/project/src/a.tsx') {
  return markJsx(code, id, '/project', parse);
}

const MARKED = [
  ['an element', '<p>a</p>', '<p data-parley-src="src/a.tsx:1:1">a</p>'],
  ['an element that closes itself', '<br/>', '<br data-parley-src="src/a.tsx:1:1"/>'],
  [
    'elements inside of elements and expressions',
    '<ul>\n  {list.map((x) => <li key={x}>{x}</li>)}\n</ul>',
    '<ul data-parley-src="src/a.tsx:1:1">\n  {list.map((x) => <li data-parley-src="src/a.tsx:2:20" key={x}>{x}</li>)}\n</ul>',
  ],
  ['a custom element', '<my-box />', '<my-box data-parley-src="src/a.tsx:1:1" />'],
  [
    'an element before its spread, which may win',
    '<a {...rest} />',
    '<a data-parley-src="src/a.tsx:1:1" {...rest} />',
  ],
  ['the right column behind an emoji', '"😀" + <b />', '"😀" + <b data-parley-src="src/a.tsx:1:8" />'],
  [
    'typed code',
    'const f = <T,>(x: T) => (x satisfies T, <i>{x!}</i>);',
    'const f = <T,>(x: T) => (x satisfies T, <i data-parley-src="src/a.tsx:1:41">{x!}</i>);',
  ],
] as const;

test.each(MARKED)('%s is marked with its place', (_name, code, expected) => {
  expect(mark(code)?.code).toBe(expected);
});

const LEFT = [
  ['a component', '<Card />'],
  ['a member component', '<motion.div />'],
  ['a fragment', '<></>'],
  ['an element of another renderer', '<mesh><boxGeometry /></mesh>'],
  ['an element with a mark of its own', '<p data-parley-src="x:1:1" />'],
  ['a module without JSX', 'export const a: number = 1;'],
] as const;

test.each(LEFT)('%s is left as it is', (_name, code) => {
  expect(mark(code)).toBeUndefined();
});

test('a path with quotes stays one attribute', () => {
  expect(mark('<p />', '/project/a"&.tsx')?.code).toBe('<p data-parley-src="a&quot;&amp;.tsx:1:1" />');
});

test('the query of a module is no part of its path', () => {
  expect(mark('<p />', '/project/src/a.tsx?t=1')?.code).toContain('"src/a.tsx:1:1"');
});

test('the source map leads each line and each place behind a mark back', () => {
  const code = 'let a;\nconst b = <p><i>x</i>\n  <b>y</b></p>;\nc();\n';
  const changed = mark(code);
  const map = new SourceMap({ ...changed!.map, file: 'a.tsx', sourceRoot: '' });
  for (const word of ['let a', '>x<', '>y<', '</p>', 'c();']) {
    const at = placeOf(changed!.code, word);
    const { originalLine, originalColumn } = map.findEntry(at.line, at.column) as OriginalPlace;
    expect({ line: originalLine, column: originalColumn }, word).toEqual(placeOf(code, word));
  }
});

interface OriginalPlace {
  readonly originalLine: number;
  readonly originalColumn: number;
}

function placeOf(text: string, word: string): { line: number; column: number } {
  const before = text.slice(0, text.indexOf(word)).split('\n');
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}
