/** Markdown as HTML: CommonMark by markdown-it, less what a public page cannot afford. */
import MarkdownIt from 'markdown-it';
import { escapeText, Html } from './html.ts';

/** How a text is shown. */
export interface MarkdownForm {
  /** The level of its largest heading. */
  readonly top: number;
  /** Line breaks are kept, as people expect of what they typed into a field. */
  readonly keepsLines?: boolean;
}

/** Renders markdown. Import this module where a text is shown and no earlier: most starts never need the parser. */
export function markdown(source: string, { top, keepsLines = false }: MarkdownForm): Html {
  const tokens = parser.parse(source, {});
  for (const token of tokens.filter(({ type }) => type.startsWith('heading_')))
    token.tag = `h${Math.min(6, top + Number(token.tag.slice(1)) - 1)}`;
  return new Html(parser.renderer.render(tokens, { ...parser.options, breaks: keepsLines }));
}
export type Markdown = typeof markdown;

/** The words of a text without its marks, for a line about it. */
export function wordsOf(source: string): string {
  // A line needs no more than its beginning.
  const blocks = parser
    .parse(source.slice(0, 2_000), {})
    .map(({ children, content }) =>
      children === null
        ? content
        : children.map((token) => (token.type.endsWith('break') ? ' ' : token.content)).join(''),
    );
  return blocks.filter((text) => text !== '').join(' ');
}

// What lies deeper than 20 levels, of which a list takes two, is not shown; time grows with the depth allowed.
const parser = new MarkdownIt('commonmark', { html: false, maxNesting: 20 });

// An image would tell its host who reads the page, so it becomes a link; and one definition of a long address that is
// used a thousand times makes megabytes of a short text.
parser.disable('reference');

parser.validateLink = (address) => /^https?:\/\//i.test(address) && URL.canParse(address);

// An address in angle brackets shows the true name of its host, not letters that look like another's.
parser.normalizeLinkText = (address) => parser.normalizeLink(address);

const { rules } = parser.renderer;

// What anybody can write earns no rank with search engines.
const REL = 'nofollow ugc noopener';

rules['image'] = (tokens, index) => {
  const image = tokens[index];
  const address = String(image?.attrGet('src') ?? '');
  const words = image?.content || address;
  const shown = parser.utils.escapeHtml(words);
  // A link cannot stand in a link.
  const edge = tokens.findLast(
    ({ type }, at) => at < index && (type === 'link_open' || type === 'link_close'),
  );
  const isLinked = edge?.type === 'link_open';
  return isLinked ? shown : `<a href="${parser.utils.escapeHtml(address)}" rel="${REL}">${shown}</a>`;
};

rules['link_open'] = (tokens, index, options, _env, renderer) => {
  tokens[index]?.attrSet('rel', REL);
  return renderer.renderToken(tokens, index, options);
};

// Readers with a keyboard can scroll what is too wide.
rules['fence'] = (tokens, index) =>
  `<pre tabindex="0"><code>${escapeText(tokens[index]?.content ?? '')}</code></pre>\n`;
rules['code_block'] = rules['fence'];
