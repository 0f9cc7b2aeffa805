/** Templates match in one pass, whatever the URI. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileTemplate } from './uri-template.ts';

describe('a template', () => {
  test.each([
    ['x://{id}', 'x://1', { id: '1' }],
    ['x://{id}/data', 'x://a%2Fb/data', { id: 'a/b' }],
    ['x://{a}/{b}', 'x://1/2', { a: '1', b: '2' }],
    ['x://{a}-{b}/end', 'x://1-2-3/end', { a: '1', b: '2-3' }],
    ['x://{id}', 'x://', undefined],
    ['x://{id}', 'x://1/2', undefined],
    ['x://{id}/data', 'x://1/other', undefined],
    ['x://{id}', 'y://1', undefined],
    ['x://{id}', 'x://%zz', undefined],
    ['x://{id}', `x://${'a'.repeat(9000)}`, undefined],
  ])('%s on %s', (template, uri, variables) => {
    expect(compileTemplate(template).match(uri)).toEqual(variables);
  });

  test.each(['x://{a}{b}', 'x://{a}/{a}', 'x://{}', 'x://{1a}', 'x://{a b}'])('%s is refused', (template) => {
    expect(() => compileTemplate(template)).toThrow('URI template');
  });

  test('finds again what was put in', () => {
    const template = compileTemplate('x://{a}/mid/{b}/end');
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
        fc.pre(!hasLoneSurrogate(a) && !hasLoneSurrogate(b));
        // Steps up and to the same place stand for no value.
        fc.pre(![a, b].some((value) => value === '.' || value === '..'));
        const uri = `x://${encodeURIComponent(a)}/mid/${encodeURIComponent(b)}/end`;
        expect(template.match(uri)).toEqual({ a, b });
      }),
    );
  });

  test('never throws on any text', () => {
    const template = compileTemplate('x://{a}/{b}');
    fc.assert(
      fc.property(fc.string(), (text) => {
        template.match(`x://${text}`);
        template.match(text);
      }),
    );
  });
});

function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}
