/** Owns the HTML snapshot of an element: cut to size, with secrets masked, never larger than its cap. */
import { MASKED } from '../../secrets.ts';
import { MASK_ATTRIBUTE } from './text.ts';
import { isOwnPart } from './tree.ts';

const MAX_SNAPSHOT = 5_000;
const MARKER = '<!-- truncated -->';
const VOID = new Set([
  'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr',
]); // prettier-ignore
const MAX_ATTRIBUTE = 500;

/** The element's HTML, at most 5,000 characters with the marker of a cut one. */
export function snapshotOf(element: Element): string {
  const isMasked = element.closest(`[${MASK_ATTRIBUTE}]`) !== null;
  // Written node by node, so that a huge element costs no more than the part that is kept.
  const html = write(element, isMasked, '');
  return html.length <= MAX_SNAPSHOT ? html : html.slice(0, MAX_SNAPSHOT - MARKER.length) + MARKER;
}

function write(node: Node, isMasked: boolean, before: string): string {
  if (before.length > MAX_SNAPSHOT) return before;
  if (node.nodeType === Node.TEXT_NODE)
    return before + escapeText((node.nodeValue ?? '').slice(0, MAX_SNAPSHOT));
  if (node.nodeType !== Node.ELEMENT_NODE) return before;
  const element = node as Element; // the node type says so
  if (isOwnPart(element)) return before;
  const tag = element.localName;
  const hidesInside = isMasked || element.hasAttribute(MASK_ATTRIBUTE);
  let html = `${before}<${tag}${attributes(element, hidesInside)}>`;
  if (VOID.has(tag)) return html;
  if (hidesInside) return `${html}${MASKED}</${tag}>`;
  for (const child of element.childNodes) {
    if (html.length > MAX_SNAPSHOT) return html;
    html = write(child, false, html);
  }
  return `${html}</${tag}>`;
}

function attributes(element: Element, isMasked: boolean): string {
  const isPassword = element.localName === 'input' && element.getAttribute('type') === 'password';
  return [...element.attributes]
    .map(({ name, value }) => {
      const hidden = isPassword ? name === 'value' : isMasked && !SHAPE.has(name);
      return ` ${name}="${hidden ? MASKED : escapeText(value.slice(0, MAX_ATTRIBUTE)).replaceAll('"', '&quot;')}"`;
    })
    .join('');
}

// What tells how a masked part is built, and nothing of what it says.
const SHAPE = new Set(['id', 'class', 'type', 'role', 'name', MASK_ATTRIBUTE]);

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The values of all password fields here, to be struck out of everything that leaves the page. */
export function passwordValues(): string[] {
  const fields = document.querySelectorAll<HTMLInputElement>('input[type="password"]');
  return [...fields].map(({ value }) => value).filter(({ length }) => length > 3);
}
