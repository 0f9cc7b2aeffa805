import { expect, test } from 'vitest';
import type { OfferingPlugin } from './vue.ts';
import { hasForeignTemplate, markVueTemplates } from './vue.ts';

interface Options {
  template?: { compilerOptions?: { nodeTransforms?: ((node: unknown, context: unknown) => void)[] } };
}

function pluginWith(options: Options): OfferingPlugin & { api: { options: Options } } {
  return { name: 'vite:vue', api: { options } };
}

function element(tagType: number) {
  return { type: 1, tagType, loc: { start: { line: 3, column: 5 } }, props: [] as { name: string }[] };
}

function transformOf(isForeign: boolean) {
  const plugin = pluginWith({});
  markVueTemplates([plugin], '/project', () => isForeign);
  const [transform] = plugin.api.options.template?.compilerOptions?.nodeTransforms ?? [];
  return (node: unknown) => transform?.(node, { filename: '/project/src/A.vue' });
}

test('a plain element is marked once, however often it is visited', () => {
  const node = element(0);
  const transform = transformOf(false);
  transform(node);
  transform(node);
  expect(node.props).toMatchObject([{ name: 'data-parley-src', value: { content: 'src/A.vue:3:5' } }]);
});

test('components, slots and templates are left as they are', () => {
  for (const tagType of [1, 2, 3]) {
    const node = element(tagType);
    transformOf(false)(node);
    expect(node.props).toEqual([]);
  }
});

test('a template whose positions are not those of its file tells the file alone', () => {
  const node = element(0);
  transformOf(true)(node);
  expect(node.props).toMatchObject([{ value: { content: 'src/A.vue' } }]);
});

test('a compiler that names no file is left alone', () => {
  const plugin = pluginWith({});
  markVueTemplates([plugin], '/project', () => false);
  const node = element(0);
  plugin.api.options.template?.compilerOptions?.nodeTransforms?.[0]?.(node, {});
  expect(node.props).toEqual([]);
});

test('transforms of the project itself stay', () => {
  const own = () => undefined;
  const plugin = pluginWith({ template: { compilerOptions: { nodeTransforms: [own] } } });
  markVueTemplates([plugin], '/project', () => false);
  expect(plugin.api.options.template?.compilerOptions?.nodeTransforms?.[0]).toBe(own);
});

test('a project without Vue, or with a Vue plugin that offers nothing, goes on', () => {
  expect(() => {
    markVueTemplates([{ name: 'vite:react' }, { name: 'vite:vue' }], '/project', () => false);
  }).not.toThrow();
});

test('templates in another language are foreign', () => {
  expect(hasForeignTemplate('<template lang="pug">p</template>')).toBe(true);
  expect(hasForeignTemplate('<template src="./a.html"></template>')).toBe(false);
  expect(hasForeignTemplate('<template><p lang="en"/></template>')).toBe(false);
});
