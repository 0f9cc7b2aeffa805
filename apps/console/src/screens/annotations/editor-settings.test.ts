/** Links into an editor: into the folder of the project, and nowhere else. */
import { expect, test } from 'vitest';
import { editorAddress } from './editor-settings.ts';

const URL_OF_PAGE = 'http://localhost:5173/cart?x=1';
const at = (root: string) => ({ editor: 'cursor', roots: { 'http://localhost:5173': root } }) as const;

test('a line of the project opens in the editor of the person', () => {
  const open = (place: string, root = '/home/ada/my shop/') => editorAddress(at(root), place, URL_OF_PAGE);
  expect(open('src/a.tsx:3:1')).toBe('cursor://file/home/ada/my%20shop/src/a.tsx:3:1');
  expect(open('./src/a.tsx:3')).toBe('cursor://file/home/ada/my%20shop/src/a.tsx:3');
  expect(open('/home/ada/my shop/src/a.tsx')).toBe('cursor://file/home/ada/my%20shop/src/a.tsx');
  expect(open('src\\a.tsx:3', 'C:\\shop')).toBe('cursor://file/C%3A/shop/src/a.tsx:3');
});

test('a place that leaves the project, and a page of no known project, open nothing', () => {
  for (const place of ['../secret', 'src/../../x:1', '/etc/passwd', 'C:/x', '', '.', 'x'.repeat(2000)])
    expect(editorAddress(at('/home/ada/shop'), place, URL_OF_PAGE), place).toBeUndefined();
  expect(editorAddress(at('/home/ada/shop'), 'src/a.tsx', 'https://other.example/')).toBeUndefined();
  expect(editorAddress(at(''), 'src/a.tsx', URL_OF_PAGE)).toBeUndefined();
  const odd = editorAddress(at('/home/ada/shop'), 'src/a b?#.tsx:9', URL_OF_PAGE);
  expect(odd).toBe('cursor://file/home/ada/shop/src/a%20b%3F%23.tsx:9');
});
