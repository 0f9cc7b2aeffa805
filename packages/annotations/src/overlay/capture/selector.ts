/** Owns the CSS selector of one element, and finding the element by it. */
import type { Root } from './tree.ts';
import { hostOf, innerRoot, rootOf } from './tree.ts';

/** Stands between the selector of a host or frame and the selector inside it. */
export const PIERCE = ' >>> ';

const MAX_SELECTOR = 1_000;
const KEY_ATTRIBUTES = ['data-testid', 'data-test', 'data-cy', 'data-id', 'data-key', 'name'];
// Numbers and hashes in an id come from generators and change with the next render.
const GENERATED = /\d{3,}|[0-9a-f]{8,}|^:|^radix-|[«»]/i;

/** A selector that matches exactly this element now. */
export function selectorOf(element: Element): string {
  const parts: string[] = [];
  for (let at: Element | null = element; at !== null; at = hostOf(rootOf(at))) {
    parts.unshift(selectorInRoot(at));
  }
  const selector = parts.join(PIERCE);
  return selector.length <= MAX_SELECTOR
    ? selector
    : parts
        .map(() => '*')
        .join(PIERCE)
        .slice(0, MAX_SELECTOR);
}

function selectorInRoot(element: Element): string {
  const root = rootOf(element);
  const steps: string[] = [];
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    steps.unshift(keySelector(at) ?? positionSelector(at));
    const selector = steps.join(' > ');
    if (isOnly(root, selector, element)) return selector;
  }
  return steps.join(' > ');
}

/** The attribute that names an element whatever its position, as a selector. */
export function keySelector(element: Element): string | null {
  const { id, localName } = element;
  if (id !== '' && !GENERATED.test(id)) return `#${CSS.escape(id)}`;
  for (const name of KEY_ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value && value.length <= 80) return `${localName}[${name}="${CSS.escape(value)}"]`;
  }
  return null;
}

/** The tag, with its place among siblings of the same tag where they repeat. */
export function positionSelector(element: Element): string {
  const tag = CSS.escape(element.localName);
  const siblings = element.parentNode?.children ?? [];
  const same = [...siblings].filter(({ localName }) => localName === element.localName);
  return same.length < 2 ? tag : `${tag}:nth-of-type(${same.indexOf(element) + 1})`;
}

function isOnly(root: Root, selector: string, element: Element): boolean {
  const found = root.querySelectorAll(selector);
  return found.length === 1 && found[0] === element;
}

/** The one element a selector matches now; null when none or several do. */
export function findBySelector(selector: string, start: Root = document): Element | null {
  let root: Root | null = start;
  let found: Element | null = null;
  try {
    for (const part of selector.split(PIERCE)) {
      if (root === null) return null;
      const all: NodeListOf<Element> = root.querySelectorAll(part);
      found = all.length === 1 ? (all[0] ?? null) : null;
      if (found === null) return null;
      root = innerRoot(found);
    }
    return found;
  } catch {
    return null;
  }
}
