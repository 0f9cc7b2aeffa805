/** Owns finding a note's element again after the page made it anew; a wrong element is worse than none. */
import type { Annotation } from '../../shapes.ts';
import { findBySelector } from '../capture/selector.ts';
import { allByTag, windowBox } from '../capture/tree.ts';
import type { Identity } from './identity.ts';
import { compare, identityOfNote } from './identity.ts';

const MAX_CANDIDATES = 2_000;
const NEAR_PX = 8;

/** The places of a note's element, as the capture wrote them. */
export type Trail = Pick<
  Annotation,
  'selector' | 'elementPath' | 'domSnapshot' | 'nearbyText' | 'boundingBox'
>;

/** The element by selector, then by path, then by text and box; null when no element is surely the one. */
export function findAgain(trail: Trail): Element | null {
  const wanted = identityOfNote(trail);
  const placed = [trail.selector, trail.elementPath].map((path) => findBySelector(path));
  for (const element of placed) {
    if (element !== null && compare(element, wanted) === 'same') return element;
  }
  const found = findByText(wanted, trail.boundingBox);
  if (found !== null) return found;
  // Only its words changed and nothing else could be it.
  return placed.find((element) => element !== null && compare(element, wanted) === 'changed') ?? null;
}

function findByText(wanted: Identity, box: Annotation['boundingBox']): Element | null {
  if (wanted.text === '') return null;
  const same = allByTag(wanted.tag, MAX_CANDIDATES).filter((element) => compare(element, wanted) === 'same');
  if (same.length === 1) return same[0] ?? null;
  const near = same.filter((element) => isNear(element, box));
  return near.length === 1 ? (near[0] ?? null) : null;
}

function isNear(element: Element, box: Annotation['boundingBox']): boolean {
  const now = windowBox(element);
  const scroll = box.fixed ? { x: 0, y: 0 } : { x: scrollX, y: scrollY };
  return Math.hypot(now.x + scroll.x - box.x, now.y + scroll.y - box.y) <= NEAR_PX;
}
