/** Owns the readable path of an element from body, and its short label. */
import { PIERCE, positionSelector } from './selector.ts';
import { visibleText } from './text.ts';
import { hostOf, rootOf } from './tree.ts';

const MAX_PATH = 2_000;
const MAX_LABEL = 200;

/** The path from body, with `:nth-of-type` where siblings repeat. */
export function elementPathOf(element: Element): string {
  const parts: string[] = [];
  for (let at: Element | null = element; at !== null; at = hostOf(rootOf(at))) parts.unshift(pathInRoot(at));
  return parts.join(PIERCE).slice(-MAX_PATH);
}

function pathInRoot(element: Element): string {
  const steps: string[] = [];
  for (let at: Element | null = element; at !== null && at.localName !== 'html'; at = at.parentElement) {
    steps.unshift(at.localName === 'body' ? 'body' : positionSelector(at));
  }
  return steps.join(' > ') || element.localName;
}

/** Tag, then id, role or text: how a person would call the element. */
export function labelOf(element: Element): string {
  const id = element.id === '' ? '' : `#${element.id}`;
  const said = element.getAttribute('aria-label') ?? element.getAttribute('alt') ?? visibleText(element, 60);
  const role = element.getAttribute('role');
  const words = said === '' ? (role === null ? '' : ` ${role}`) : ` "${said}"`;
  return `${element.localName}${id}${words}`.slice(0, MAX_LABEL);
}
