/** Markdown becomes harmless HTML in little time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markdown } from './markdown.ts';

describe('markdown', () => {
  test.each([
    ['# One\n## Two', '<h3>One</h3><h4>Two</h4>'],
    ['a\nb\n\nc', '<p>a\nb</p><p>c</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['1. a\n2. b\n- c', '<ol><li>a</li><li>b</li></ol><ul><li>c</li></ul>'],
    ['**a** and *b* and _c_', '<p><strong>a</strong> and <em>b</em> and <em>c</em></p>'],
    ['**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
    ['snake_case_name 2 * 3 * 4', '<p>snake_case_name 2 * 3 * 4</p>'],
    ['**never closed', '<p>**never closed</p>'],
    ['`a < b`', '<p><code>a &lt; b</code></p>'],
    ['```ts\n<b>\n```', '<pre tabindex="0"><code>&lt;b&gt;</code></pre>'],
    ['> so be it', '<blockquote><p>so be it</p></blockquote>'],
    [
      '[site](https://example.com/?a=1&b=2)',
      '<p><a href="https://example.com/?a=1&amp;b=2" rel="noopener">site</a></p>',
    ],
    [String.raw`\*not\* this`, '<p>*not* this</p>'],
  ])('%j', (source, expected) => {
    expect(markdown(source).text.replaceAll(/(?<=>)\n|\n(?=<)/g, '')).toBe(expected);
  });

  test.each([
    '<script>alert(1)</script>',
    '[x](javascript:alert(1))',
    '[x](data:text/html,<b>)',
    '[x](//evil.example)',
    '[x](https://a.example/"onmouseover="alert(1))',
    '![x](https://a.example/x.png)<img src=x onerror=alert(1)>',
    '# <svg onload=alert(1)>',
    '- <b>\n> <i>\n`<u>`',
  ])('%j makes no tag and no link of its own', (source) => {
    const { text } = markdown(source);
    const tags = text.match(/<\/?([a-z0-9]+)/g)?.map((tag) => tag.replace(/<\/?/, '')) ?? [];
    expect(tags.filter((tag) => !['p', 'h3', 'ul', 'li', 'blockquote', 'code', 'a'].includes(tag))).toEqual(
      [],
    );
    for (const [, href] of text.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^https?:\/\//);
    expect(text).not.toMatch(/<a [^>]*on[a-z]+=/);
  });

  test('any text gives balanced tags of the known kinds only', () => {
    const sign = fc.constantFrom(
      '*',
      '**',
      '_',
      '`',
      '```',
      '[',
      '](https://e.example)',
      ')',
      '<b>',
      '\n',
      '# ',
      '- ',
      '> ',
      ' ',
      'a',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 60 }), (signs) => {
        const { text } = markdown(signs.join(''));
        const open: string[] = [];
        for (const [, slash, name = ''] of text.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
          expect(name).toMatch(/^(p|h[3-6]|ul|ol|li|blockquote|pre|code|strong|em|a)$/);
          if (slash === '') open.push(name);
          else expect(open.pop()).toBe(name);
        }
        expect(open).toEqual([]);
      }),
    );
  });

  test.each(['*', '**', '_', '`', '[', '[a](', '\\', '> ', '- ', '*a_', '# '])(
    'fifty thousand characters of %j are no burden',
    (piece) => {
      const source = piece.repeat(Math.ceil(50_000 / piece.length));
      const before = process.cpuUsage();
      markdown(source);
      const { user } = process.cpuUsage(before);
      expect(user).toBeLessThan(1_000_000);
    },
  );
});
