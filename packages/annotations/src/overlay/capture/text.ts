/** Owns the text of elements, with masked parts left out. */
import { MASKED } from '../../secrets.ts';
import { isOwnPart, parentOf } from './tree.ts';

/** Marks a subtree whose content never leaves the page. */
export const MASK_ATTRIBUTE = 'data-parley-mask';

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'textarea']);

/** The element's text in one line, masked parts replaced, cut at `limit`; `isLight` stays out of shadow roots. */
export function visibleText(element: Element, limit: number, isLight = false): string {
  if (element.closest(`[${MASK_ATTRIBUTE}]`) !== null) return MASKED;
  let text = '';
  const visit = (node: Node): void => {
    if (text.length > limit * 2) return;
    if (node.nodeType === Node.TEXT_NODE) text += node.nodeValue ?? '';
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const child = node as Element; // the node type says so
    if (SILENT.has(child.localName) || isOwnPart(child)) return;
    text += ' ';
    if (child.hasAttribute(MASK_ATTRIBUTE)) text += MASKED;
    else for (const inner of ((isLight ? null : child.shadowRoot) ?? child).childNodes) visit(inner);
    text += ' ';
  };
  visit(element);
  return text.replace(/\s+/g, ' ').trim().slice(0, limit);
}

/** The nearest ancestor-or-self that has equal neighbours: a row of a list, a card of a grid. */
export function rowOf(element: Element): Element | null {
  for (let at: Element | null = element; at !== null && at.localName !== 'body'; at = parentOf(at)) {
    if (equalsOf(at).length > 1) return at;
  }
  return null;
}

/** The element and the siblings made like it. */
export function equalsOf(element: Element): Element[] {
  const siblings = element.parentNode?.children ?? [];
  return [...siblings].filter((other) => other.localName === element.localName && looksLike(other, element));
}

// One shared class is enough, since rows differ by state classes such as "selected".
function looksLike(one: Element, other: Element): boolean {
  if (one.classList.length === 0 || other.classList.length === 0) return true;
  return [...one.classList].some((name) => other.classList.contains(name));
}

/** The text around an element: of its row, or of the parent that says more than the element itself. */
export function nearbyTextOf(element: Element): string {
  const own = visibleText(element, 500);
  const row = rowOf(element);
  if (row !== null && row !== element) return visibleText(row, 500);
  for (let at = parentOf(element); at !== null && at.localName !== 'html'; at = parentOf(at)) {
    const text = visibleText(at, 500);
    if (text !== own) return text;
  }
  return own;
}
