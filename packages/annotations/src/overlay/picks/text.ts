/** Owns picks of text: what the person selected, and selecting while picking. */
import type { Pick } from '../capture/capture.ts';
import { MASK_ATTRIBUTE } from '../capture/text.ts';
import { isOverlay } from '../capture/tree.ts';
import { MASKED } from '../../secrets.ts';

/** The pick of the page's selection; undefined when nothing on the page is selected. */
export function textPick(selection: Selection | null = getSelection()): Pick | undefined {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const node = range.commonAncestorContainer;
  const element = node instanceof Element ? node : node.parentElement;
  const selectionText = element === null ? '' : unmaskedText(range, element);
  if (element === null || isOverlay(element) || selectionText.trim() === '') return undefined;
  return { kind: 'text', element, selectionText, box: range.getBoundingClientRect() };
}

function unmaskedText(range: Range, element: Element): string {
  if (element.closest(`[${MASK_ATTRIBUTE}]`) !== null) return MASKED;
  const copy = range.cloneContents();
  const masked = copy.querySelectorAll(`[${MASK_ATTRIBUTE}]`);
  if (masked.length === 0) return range.toString().trim();
  for (const one of masked) one.textContent = MASKED;
  return (copy.textContent ?? '').trim();
}

/** A place between two letters. */
export interface Caret {
  readonly node: Node;
  readonly offset: number;
}

/** The place in a text under a point; undefined beside the letters. */
export function caretAt(x: number, y: number): Caret | undefined {
  const caret = document.caretPositionFromPoint?.(x, y);
  if (!caret || caret.offsetNode.nodeType !== Node.TEXT_NODE) return undefined;
  const range = document.createRange();
  range.selectNodeContents(caret.offsetNode);
  const isOnText = [...range.getClientRects()].some(
    (box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom,
  );
  return isOnText ? { node: caret.offsetNode, offset: caret.offset } : undefined;
}

/** Selects from where a drag began to the point it reached. */
export function selectTo(start: Caret, x: number, y: number): void {
  const end = document.caretPositionFromPoint?.(x, y);
  if (end) getSelection()?.setBaseAndExtent(start.node, start.offset, end.offsetNode, end.offset);
}
