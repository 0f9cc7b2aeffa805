/** A small part of markdown as HTML: headings, paragraphs, lists, quotes, code, bold, italic, links; never raw HTML. */
import type { Part } from './html.ts';
import { Html, html } from './html.ts';

/** Renders markdown; `top` is the level of its first heading. */
export function markdown(source: string, top = 3): Html {
  const lines = source.replaceAll('\r\n', '\n').split('\n');
  const blocks: Html[] = [];
  for (let at = 0; at < lines.length;) {
    const { block, next } = blockAt(lines, at, top);
    if (block !== undefined) blocks.push(block);
    at = next;
  }
  return html`${blocks}`;
}

interface Block {
  readonly block?: Html;
  readonly next: number;
}

const FENCE = /^\s{0,3}```/;
const HEADING = /^(#{1,6})\s+(\S.*)$/;
const ITEM = /^\s{0,9}([-*+]|\d{1,9}[.)])\s+(\S.*)$/;
const QUOTE = /^\s{0,3}>\s?(.*)$/;

function blockAt(lines: readonly string[], at: number, top: number): Block {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { next: at + 1 };
  if (FENCE.test(line)) return fence(lines, at);
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const level = Math.min(6, top + (heading[1]?.length ?? 1) - 1);
    const tag = new Html(`h${level}`);
    return { block: html`<${tag}>${inline(heading[2] ?? '')}</${tag}>`, next: at + 1 };
  }
  if (ITEM.test(line)) return list(lines, at);
  const isPlain = (text: string) =>
    text.trim() !== '' && ![FENCE, HEADING, ITEM, QUOTE].some((form) => form.test(text));
  if (QUOTE.test(line)) {
    const end = endOf(lines, at, (text) => QUOTE.test(text));
    const quoted = lines.slice(at, end).map((text) => QUOTE.exec(text)?.[1] ?? '');
    return { block: html`<blockquote><p>${inline(quoted.join('\n'))}</p></blockquote>`, next: end };
  }
  const end = Math.max(at + 1, endOf(lines, at, isPlain));
  return { block: html`<p>${inline(lines.slice(at, end).join('\n'))}</p>`, next: end };
}

function endOf(lines: readonly string[], start: number, holds: (line: string) => boolean): number {
  let end = start;
  while (end < lines.length && holds(lines[end] ?? '')) end += 1;
  return end;
}

function fence(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at + 1, (line) => !FENCE.test(line));
  // Readers with a keyboard can scroll what is too wide.
  const block = html`<pre tabindex="0"><code>${lines.slice(at + 1, end).join('\n')}</code></pre>`;
  return { block, next: end + 1 };
}

function list(lines: readonly string[], at: number): Block {
  const isOrdered = (line: string) => /^\d/.test(ITEM.exec(line)?.[1] ?? '');
  const ordered = isOrdered(lines[at] ?? '');
  const end = endOf(lines, at, (line) => ITEM.test(line) && isOrdered(line) === ordered);
  const items = lines.slice(at, end).map((line) => html`<li>${inline(ITEM.exec(line)?.[2] ?? '')}</li>`);
  return {
    block: ordered
      ? html`<ol>
          ${items}
        </ol>`
      : html`<ul>
          ${items}
        </ul>`,
    next: end,
  };
}

// No alternative can begin inside another, so that the time is proportional to the length.
const TOKEN = /`([^`\n]+)`|\[([^[\]\n]+)\]\(([^\s()<>"]+)\)|(\*\*|\*|_)|\\([\\`*_[\]()#>-])/g;

interface Open {
  readonly mark: string;
  readonly parts: Part[];
}

const MAX_DEPTH = 8;

/** Text inside a block; a mark without its partner stays what it is. */
function inline(text: string): Part {
  const stack: Open[] = [{ mark: '', parts: [] }];
  const put = (part: Part) => stack.at(-1)?.parts.push(part);
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    put(text.slice(last, match.index));
    last = match.index + match[0].length;
    const [whole, code, label, address, mark, escaped] = match;
    if (code !== undefined) put(html`<code>${code}</code>`);
    else if (label !== undefined) put(link(label, address ?? '', whole));
    else if (mark !== undefined) emphasise(stack, mark, text.charAt(match.index - 1), text.charAt(last));
    else put(escaped);
  }
  put(text.slice(last));
  while (stack.length > 1) giveUp(stack);
  return stack[0]?.parts ?? [];
}

function emphasise(stack: Open[], mark: string, before: string, after: string): void {
  const isWord = (sign: string) => /[\p{L}\p{N}]/u.test(sign);
  const isBlank = (sign: string) => sign.trim() === '';
  // An underscore inside a word is part of the word.
  const isInside = mark === '_' && isWord(before) && isWord(after);
  const opened = stack.findLastIndex((open) => open.mark === mark);
  if (!isInside && opened > 0 && !isBlank(before)) {
    while (stack.length - 1 > opened) giveUp(stack);
    const { parts } = stack.pop() ?? { parts: [] };
    stack.at(-1)?.parts.push(mark === '**' ? html`<strong>${parts}</strong>` : html`<em>${parts}</em>`);
  } else if (!isInside && opened === -1 && !isBlank(after) && stack.length <= MAX_DEPTH) {
    stack.push({ mark, parts: [] });
  } else {
    stack.at(-1)?.parts.push(mark);
  }
}

function giveUp(stack: Open[]): void {
  const open = stack.pop();
  if (open !== undefined) stack.at(-1)?.parts.push(open.mark, open.parts);
}

function link(label: string, address: string, whole: string): Part {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return whole;
  return html`<a href="${new URL(address).href}" rel="noopener">${label}</a>`;
}
