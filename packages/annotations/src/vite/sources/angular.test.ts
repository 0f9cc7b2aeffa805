import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { CLASS_MODULE_TEXT, findComponents, keepComponents } from './angular.ts';
import type { Parse, SyntaxNode } from './syntax-walk.ts';

// The tree is walked by name only.
const parse: Parse = (code, lang) => parseAst(code, { lang }) as unknown as SyntaxNode;

function find(code: string) {
  return findComponents(code, '/project/src/app/card.ts', '/project', parse);
}

test('a component is found at its class, behind decorators and comments', () => {
  const code = `@Component({ selector: 'a-b', template: '<p>class X</p>' })\n@Other()\n/** Doc. */\nexport class Card {}\n`;
  expect(find(code)).toEqual([{ className: 'Card', sourceFile: 'src/app/card.ts:4:1' }]);
});

test('an external template is named from the project root', () => {
  const code = `@Component({ templateUrl: '../shared/card.html' }) class Card {}`;
  expect(find(code)).toEqual([
    { className: 'Card', sourceFile: 'src/app/card.ts:1:52', templateFile: 'src/shared/card.html' },
  ]);
});

test('classes that are no components are not found', () => {
  expect(find(`@Injectable() export class A {}\nclass B {}\n@Component class C {}`)).toEqual([]);
});

test('a compiled module hands its classes to the page', () => {
  const added = keepComponents([
    { className: 'Card', sourceFile: 'a.ts:1:1' },
    { className: 'List', sourceFile: 'a.ts:2:1', templateFile: 'a.html' },
  ]);
  expect(added).toContain(`from '/@parley/classes.js'`);
  expect(added).toContain('{"Card":{"file":"a.ts:1:1"},"List":{"file":"a.ts:2:1","template":"a.html"}}');
});

test('the overlay is told of classes that came before it and after it', async () => {
  const url = `data:text/javascript,${encodeURIComponent(CLASS_MODULE_TEXT)}`;
  // The module is written as text for pages, so no type is there.
  const { keepClassFiles, onClassFiles } = (await import(url)) as {
    keepClassFiles(files: object): void;
    onClassFiles(listener: (files: object) => void): void;
  };
  const told: string[] = [];
  keepClassFiles({ A: 1 });
  onClassFiles((files) => told.push(JSON.stringify(files)));
  keepClassFiles({ A: 2, B: 3 });
  expect(told).toEqual(['{"A":1}', '{"A":2,"B":3}']);
});
