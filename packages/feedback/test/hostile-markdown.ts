/** Markdown that attacks a page, and what may stand in the HTML made from it. */

/** A text and the addresses it may link to; without them it makes no link. */
export interface HostileMarkdown {
  readonly source: string;
  readonly links?: readonly string[];
}

/** What a visitor could write. */
export const HOSTILE: readonly HostileMarkdown[] = [
  // Raw HTML, in every place that a text has.
  { source: '<script>alert(1)</script>' },
  { source: '<SCRIPT\n>alert(1)</SCRIPT\n>' },
  { source: '<img src=x onerror=alert(1)>' },
  { source: '# <svg onload=alert(1)>' },
  { source: '- <b>\n\n> <i>\n\n`<u>`' },
  { source: '> <iframe srcdoc="<script>alert(1)</script>">' },
  { source: '<!-- --><style>*{display:none}</style>' },
  { source: '<?php ?><![CDATA[<script>alert(1)</script>]]>' },
  { source: '</div></article></main><form action=//evil.example>' },
  { source: '```"><img src=x onerror=alert(1)>\ncode\n```' },
  { source: '``` \n</code></pre><script>alert(1)</script>\n```' },
  { source: '    </code></pre><script>alert(1)</script>' },
  { source: '&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#x3e;' },
  { source: '**<b onclick=alert(1)>**' },
  { source: '<p style="position:fixed">' },
  // Schemes that are no address of a page.
  { source: '[x](javascript:alert(1))' },
  { source: '[x](JaVaScRiPt:alert(1))' },
  { source: '[x](javascript&colon;alert(1))' },
  { source: '[x](&#106;avascript:alert(1))' },
  { source: '[x](&#x6A;&#x61;vascript&#58;alert(1))' },
  { source: '[x](java&#10;script:alert(1))' },
  { source: '[x](java&Tab;script:alert(1))' },
  { source: '[x](<java\tscript:alert(1)>)' },
  { source: '[x](&#1;javascript:alert(1))' },
  { source: '[x](\u00A0javascript:alert(1))' },
  { source: '[x](%6Aavascript:alert(1))' },
  { source: String.raw`[x](java\script:alert(1))` },
  { source: String.raw`[x](javascript\:alert(1))` },
  { source: '[x](javascript://https://a.example/%0Aalert(1))' },
  { source: '[x](vbscript:msgbox(1))' },
  { source: '[x](data:text/html,<script>alert(1)</script>)' },
  { source: '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)' },
  { source: '![x](data:image/svg+xml;base64,PHN2Zy8+)' },
  { source: '[x](file:///etc/passwd) [y](blob:https://a.example/1) [z](about:blank)' },
  { source: '[x](mailto:a@b.example) [y](tel:1) [z](ftp://a.example)' },
  { source: '<javascript:alert(1)> <data:text/html,x> <a@b.example>' },
  // The first letter of the scheme is Cyrillic, the s a long one, the colon a wide one.
  { source: '[x](јavascript:alert(1)) [y](javaſcript:alert(1)) [z](javascript：alert(1))' },
  { source: '[x](һttps://a.example) [y](https：//a.example)' },
  // Addresses of no site, or of this one.
  { source: '[x](//evil.example) [y](/feedback/sign-out) [z](#comments) [w](?q=1) [v](a.html)' },
  { source: String.raw`[x](https:\\evil.example) [y](https:/evil.example) [z](https:evil.example)` },
  { source: '[x](http://) [y](https://[::1) [z](https://a.example:99999/)' },
  // Links that may stand, but bring nothing along.
  {
    source: '[x](https://a.example/"onmouseover="alert(1))',
    links: ['https://a.example/%22onmouseover=%22alert(1)'],
  },
  { source: '[x](https://a.example "\\" onmouseover=\\"alert(1)")', links: ['https://a.example'] },
  { source: "[x](https://a.example '\"><script>alert(1)</script>')", links: ['https://a.example'] },
  { source: '[<img src=x onerror=alert(1)>](https://a.example)', links: ['https://a.example'] },
  { source: '![x](https://a.example/x.png "y")', links: ['https://a.example/x.png'] },
  { source: '![![x](javascript:a)](https://a.example)', links: ['https://a.example'] },
  { source: '[a [b](https://b.example) c](https://c.example)', links: ['https://b.example'] },
  { source: '[a](javascript:a) [b [c](javascript:c)](https://b.example)', links: ['https://b.example'] },
  { source: '<https://a.example/"onclick="alert(1)>', links: ['https://a.example/%22onclick=%22alert(1)'] },
  { source: '<https://a.example/<script>>' },
  { source: '[x](HTTPS://A.EXAMPLE/&quot;&gt;&lt;b&gt;)', links: ['HTTPS://A.EXAMPLE/%22%3E%3Cb%3E'] },
  // Definitions make no link, wherever the address stands.
  { source: '[x]\n\n[x]: javascript:alert(1)' },
  { source: '[x]: https://a.example "t"\n\n[x] ![x] [x][]' },
  // Signs that are no text.
  { source: '\0<script>\uD800</script>\u202E[x](javascript:\0alert(1))' },
];

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z]+="[^"<>]*")*)( \/)?>/y;
const ATTRIBUTE = / ([a-z]+)="([^"<>]*)"/g;

/** The attributes that an element may have; every other element is refused. */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'li', 'blockquote', 'code', 'strong', 'em', 'br', 'hr'].map(
      (name) => [name, []],
    ),
  ),
  ol: ['start'],
  pre: ['tabindex'],
  a: ['href', 'title', 'rel'],
};

/** Parses HTML by a grammar that knows the allowed elements only, throws at anything else, returns its links. */
export function expectHarmless(html: string): string[] {
  const open: string[] = [];
  const links: string[] = [];
  for (let at = 0; at < html.length;) {
    const next = html.indexOf('<', at);
    const text = html.slice(at, next === -1 ? html.length : next);
    if (text.includes('>')) throw new Error(`A bare > stands in: ${text}`);
    if (next === -1) break;
    TAG.lastIndex = next;
    const [whole, slash, name = '', attributes = '', isEmpty] = TAG.exec(html) ?? [];
    if (whole === undefined) throw new Error(`No allowed tag: ${html.slice(next, next + 80)}`);
    at = next + whole.length;
    const allowed = ALLOWED[name];
    if (allowed === undefined) throw new Error(`No allowed element: ${whole}`);
    if (slash === '/') {
      if (open.pop() !== name) throw new Error(`${whole} closes nothing`);
      continue;
    }
    if (isEmpty === undefined) open.push(name);
    for (const [, attribute = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
      if (!allowed.includes(attribute)) throw new Error(`No allowed attribute: ${whole}`);
      if (attribute === 'href') links.push(value);
    }
    if (name === 'a' && !attributes.includes(' rel="nofollow ugc noopener"'))
      throw new Error(`A link without its rel: ${whole}`);
  }
  if (open.length > 0) throw new Error(`Never closed: ${open.join(', ')}`);
  for (const link of links)
    if (!/^https?:\/\/[^/]/i.test(link)) throw new Error(`No allowed address: ${link}`);
  return links;
}
