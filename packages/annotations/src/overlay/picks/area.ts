/** Owns picks by a rectangle: the elements inside it, and the element that holds a free area. */
import type { Box, Pick } from '../capture/capture.ts';
import { childrenOf, elementAt, parentOf, windowBox } from '../capture/tree.ts';

const MAX_ELEMENTS = 50;
const MIN_SIDE_PX = 4;

/** The rectangle between two points. */
export function boxBetween(a: { x: number; y: number }, b: { x: number; y: number }): Box {
  return {
    x: Math.min(a.x, b.x),
    y: Math.min(a.y, b.y),
    width: Math.abs(a.x - b.x),
    height: Math.abs(a.y - b.y),
  };
}

/** The outermost elements that lie wholly inside a rectangle. */
export function elementsIn(box: Box, from: Element = document.body): Element[] {
  const found: Element[] = [];
  const visit = (element: Element): void => {
    for (const child of childrenOf(element)) {
      if (found.length >= MAX_ELEMENTS) return;
      const at = windowBox(child);
      if (at.width > 0 && at.height > 0 && contains(box, at)) found.push(child);
      else if (overlaps(box, at) || at.width === 0 || at.height === 0) visit(child);
    }
  };
  visit(from);
  return found;
}

/** The pick of several elements by a rectangle; undefined when none lies inside. */
export function multiPick(elements: readonly Element[]): Pick | undefined {
  const [first] = elements;
  return first && { kind: 'multi', element: first, elements };
}

/** The pick of a free area. */
export function areaPick(box: Box): Pick | undefined {
  if (box.width < MIN_SIDE_PX || box.height < MIN_SIDE_PX) return undefined;
  let holder: Element | null = elementAt(box.x + box.width / 2, box.y + box.height / 2) ?? document.body;
  while (holder !== null && holder !== document.body && !contains(windowBox(holder), box))
    holder = parentOf(holder);
  const element = holder ?? document.body;
  const inside = elementsIn(box);
  return { kind: 'area', element, elements: inside.length > 0 ? inside : [element], box };
}

function contains(outer: Box, inner: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
