/** Which URIs a selection means, and that no pattern takes long over any of them. */
import { expect, test } from 'vitest';
import { uriSelection } from './uri-patterns.ts';

test.each([
  ['docs://a', ['docs://a'], ['docs://ab', 'docs://', 'xdocs://a']],
  ['docs://*', ['docs://a', 'docs://'], ['docs://a/b', 'doc://a']],
  ['docs://**', ['docs://a', 'docs://a/b/c', 'docs://'], ['doc://a', 'other://docs://a']],
  ['**', ['', 'x', 'a://b/c'], []],
  ['*', ['', 'x', 'a:b'], ['a/b']],
  ['a://*/c', ['a://b/c', 'a:///c'], ['a://b/d/c', 'a://b/c/', 'a://c']],
  ['a://**/c', ['a://b/c', 'a://b/d/c'], ['a://b/c/d']],
  ['**a*b', ['a/ab', 'ab', 'x/ayb'], ['a/b', 'ab/']],
  ['*.md', ['x.md', '.md'], ['x.mdx', 'a/x.md', 'xXmd']],
  ['a[b]?(c)+', ['a[b]?(c)+'], ['ab', 'a[b]x(c)+']],
  ['a***b', ['ab', 'a/x/b'], ['a']],
])('%s', (pattern, meant, others) => {
  const selects = uriSelection([pattern]);
  for (const uri of meant) expect([uri, selects(uri)]).toEqual([uri, true]);
  for (const uri of others) expect([uri, selects(uri)]).toEqual([uri, false]);
});

test('null means all, an empty list nothing, and several any of them', () => {
  expect(uriSelection(null)('x')).toBe(true);
  expect(uriSelection([])('x')).toBe(false);
  const selects = uriSelection(['a://x', 'b://**']);
  expect(['a://x', 'b://y', 'a://y'].map(selects)).toEqual([true, true, false]);
});

test('a pattern that would send others back and forth ends', () => {
  const selects = uriSelection([`${'**a*'.repeat(50)}b`]);
  expect(selects('a'.repeat(8000))).toBe(false);
});
