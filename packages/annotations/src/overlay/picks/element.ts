/** Owns walking from element to element with the keyboard. */
import { childrenOf, isWalkable, parentOf } from '../capture/tree.ts';

/** A direction of the keyboard in the tree. */
export type Step = 'parent' | 'child' | 'next' | 'previous';

/** The element one step away; the same element where the tree ends. */
export function walk(from: Element, step: Step): Element {
  const parent = parentOf(from);
  if (step === 'parent') return parent === null || parent.localName === 'html' ? from : parent;
  if (step === 'child') return childrenOf(from)[0] ?? from;
  const siblings = parent === null ? [from] : childrenOf(parent);
  const sibling = siblings[siblings.indexOf(from) + (step === 'next' ? 1 : -1)];
  return sibling ?? from;
}

/** Where the keyboard starts: the focused element, or the first that shows something. */
export function firstElement(focused: Element | null): Element {
  if (focused !== null && focused.localName !== 'body' && isWalkable(focused)) return focused;
  const main = document.querySelector('main') ?? document.body;
  return childrenOf(main)[0] ?? main;
}
