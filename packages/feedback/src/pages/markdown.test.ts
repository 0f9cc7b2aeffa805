/** Markdown becomes harmless HTML of bounded length. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markdown, wordsOf } from './markdown.ts';
import { expectHarmless, HOSTILE } from '../../test/hostile-markdown.ts';

const render = (source: string) => markdown(source, { top: 3 }).text;
const REL = 'rel="nofollow ugc noopener"';

describe('markdown', () => {
  test.each([
    ['# One\n## Two', '<h3>One</h3><h4>Two</h4>'],
    ['One\n===\nTwo\n---', '<h3>One</h3><h4>Two</h4>'],
    ['###### Six', '<h6>Six</h6>'],
    ['a\nb\n\nc', '<p>a\nb</p><p>c</p>'],
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['- a\n  - b', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
    ['1. a\n2. b\n- c', '<ol><li>a</li><li>b</li></ol><ul><li>c</li></ul>'],
    ['**a** and *b* and _c_', '<p><strong>a</strong> and <em>b</em> and <em>c</em></p>'],
    ['**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
    ['snake_case_name 2 * 3 * 4', '<p>snake_case_name 2 * 3 * 4</p>'],
    ['**never closed', '<p>**never closed</p>'],
    ['`a < b`', '<p><code>a &lt; b</code></p>'],
    ['```ts\n<b>\n```', '<pre tabindex="0"><code>&lt;b&gt;</code></pre>'],
    ['    <b>', '<pre tabindex="0"><code>&lt;b&gt;</code></pre>'],
    ['> so be it', '<blockquote><p>so be it</p></blockquote>'],
    [
      '[site](https://example.com/?a=1&b=2)',
      `<p><a href="https://example.com/?a=1&amp;b=2" ${REL}>site</a></p>`,
    ],
    ['<https://example.com>', `<p><a href="https://example.com" ${REL}>https://example.com</a></p>`],
    ['https://example.com', '<p>https://example.com</p>'],
    ['![x](https://a.example/x.png)', `<p><a href="https://a.example/x.png" ${REL}>x</a></p>`],
    [
      '![](https://a.example/x.png)',
      `<p><a href="https://a.example/x.png" ${REL}>https://a.example/x.png</a></p>`,
    ],
    ['![<b>"](https://a.example/?"x)', `<p><a href="https://a.example/?%22x" ${REL}>&lt;b&gt;&quot;</a></p>`],
    ['![x](javascript:alert)', '<p>![x](javascript:alert)</p>'],
    [
      '[![x](https://a.example/x.png)](https://b.example) ![y](https://a.example/y.png)',
      `<p><a href="https://b.example" ${REL}>x</a> <a href="https://a.example/y.png" ${REL}>y</a></p>`,
    ],
    ['[a]\n\n[a]: https://a.example', '<p>[a]</p><p>[a]: https://a.example</p>'],
    ['|a|\n|-|\n|b|', '<p>|a|\n|-|\n|b|</p>'],
    [String.raw`\*not\* this`, '<p>*not* this</p>'],
  ])('%j', (source, expected) => {
    expect(render(source).replaceAll(/(?<=>)\n|\n(?=<)/g, '')).toBe(expected);
  });

  test('a line about a text has its words and none of its marks', () => {
    const source =
      '# Why\n\nFor **reasons**, see [the *page*](https://a.example).\nNext `line`\n\n- one\n- two\n\n    code';
    expect(wordsOf(source)).toBe('Why For reasons, see the page. Next line one two code');
    expect(wordsOf('*a* '.repeat(10_000)).length).toBeLessThanOrEqual(2_000);
  });

  test('line breaks are kept where they are asked for', () => {
    expect(markdown('a\nb', { top: 2, keepsLines: true }).text).toBe('<p>a<br />\nb</p>\n');
  });

  test('an address in angle brackets shows the true name of its host', () => {
    // The letters of this host are Cyrillic.
    expect(render('<https://аррӏе.com>')).toContain('>https://xn--80ak6aa92e.com</a>');
    expect(render('<https://xn--80ak6aa92e.com>')).toContain('>https://xn--80ak6aa92e.com</a>');
  });

  test.each(HOSTILE.map(({ source, links = [] }) => [source, links] as const))(
    '%j is harmless',
    (source, links) => {
      expect(expectHarmless(render(source))).toEqual(links);
    },
  );

  test('any text gives balanced tags of the known kinds only', () => {
    const sign = fc.constantFrom(
      '*',
      '**',
      '_',
      '`',
      '```',
      '~~~',
      '[',
      '![',
      '](https://e.example)',
      '](javascript:a)',
      ')',
      '(',
      '"',
      '<b>',
      '<!--',
      '<https://e.example>',
      '&lt;',
      '&quot;',
      '\n',
      '\n\n',
      '# ',
      '- ',
      '1. ',
      '> ',
      '    ',
      '---',
      '===',
      '|',
      '\t',
      ' ',
      'a',
      '\\',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 60 }), (signs) => {
        for (const keepsLines of [false, true])
          expectHarmless(markdown(signs.join(''), { top: 2, keepsLines }).text);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    '*',
    '**',
    '***a',
    '_',
    '`',
    '~',
    '[',
    '![',
    '[a](',
    '](',
    '\\',
    '&',
    '<',
    '<a ',
    '<!--',
    '> ',
    '>',
    '- ',
    '1. ',
    '> - ',
    '*a_',
    '# ',
    '\t',
    '\n',
    'a\n',
    '[a]: b\n',
    '|a',
    '|-|\n',
    '* * * a\n',
  ])('fifty thousand characters of %j end, and as a bounded text', (piece) => {
    const source = piece.repeat(Math.ceil(50_000 / piece.length));
    const text = render(source);
    expectHarmless(text);
    expect(text.length).toBeLessThan(10 * source.length);
  });

  test.each([
    ['lists', Array.from({ length: 150 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['quotes', `${'>'.repeat(5_000)} a`],
    ['brackets', `${'['.repeat(5_000)}a${'](https://e.example)'.repeat(1_000)}`],
    ['emphasis', `${'*a '.repeat(2_000)}${' a*'.repeat(2_000)}`],
    ['one definition used often', `[a]: https://e.example/${'x'.repeat(500)}\n\n${'[a]'.repeat(3_000)}`],
  ])('very deep input ends, and as a bounded text: %s', (_, source) => {
    const text = render(source);
    expectHarmless(text);
    expect(text.length).toBeLessThan(10 * source.length);
  });
});
