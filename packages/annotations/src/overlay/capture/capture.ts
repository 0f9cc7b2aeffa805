/** Owns the capture of a pick: everything an agent needs to find the place again in the code. */
import { strike } from '../../secrets.ts';
import type { Captured } from '../../shapes.ts';
import type { FoundComponent } from '../source/found.ts';
import { accessibilityOf } from './accessibility.ts';
import { plainInputs } from './component.ts';
import { elementPathOf, labelOf } from './element-path.ts';
import { selectorOf } from './selector.ts';
import { passwordValues, snapshotOf } from './snapshot.ts';
import { stylesOf } from './styles.ts';
import { nearbyTextOf } from './text.ts';
import { parentOf, windowBox } from './tree.ts';

/** What was picked: one element, text inside it, several elements, or a free area of the page. */
export interface Pick {
  readonly kind: Captured['kind'];
  /** The element that the pin stays with. */
  readonly element: Element;
  readonly elements?: readonly Element[];
  readonly selectionText?: string;
  /** Of a text or area pick, in window coordinates. */
  readonly box?: Box;
}

/** A rectangle in window coordinates. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What the capture needs from the rest of the overlay. */
export interface CaptureParts {
  readonly readComponent: (element: Element) => FoundComponent;
  /** A place in the overlay's own root where default styles can be measured. */
  readonly shelf: Element;
}

const MAX_TARGETS = 50;

/** Captures a pick; password values and tokens are struck out of every part. */
export function capture(pick: Pick, { readComponent, shelf }: CaptureParts): Captured {
  const { element } = pick;
  const found = readComponent(element);
  const inputs = found.inputs && plainInputs(found.inputs);
  const nearbyText = nearbyTextOf(element);
  const captured: Captured = {
    kind: pick.kind,
    url: location.href.slice(0, 4_000),
    title: document.title.slice(0, 1_000),
    viewport: viewportNow(),
    scroll: { x: scrollX, y: scrollY },
    ...(found.name && { componentName: found.name.slice(0, 200) }),
    ...(found.tree?.length && { componentTreePath: found.tree.slice(-50).map((name) => name.slice(0, 200)) }),
    ...(inputs && { inputs }),
    ...(found.source && { sourceFile: found.source.slice(0, 1_000) }),
    ...(found.template && { templateFile: found.template.slice(0, 1_000) }),
    selector: selectorOf(element),
    elementPath: elementPathOf(element),
    element: labelOf(element),
    ...(element.classList.length > 0 && { cssClasses: [...element.classList].slice(0, 50) }),
    ...(pick.selectionText && { selectionText: pick.selectionText.slice(0, 5_000) }),
    ...(nearbyText && { nearbyText }),
    domSnapshot: snapshotOf(element),
    computedStyles: stylesOf(element, shelf),
    accessibility: accessibilityOf(element),
    boundingBox: pageBox(element, pick.box),
    ...(pick.elements && {
      targets: pick.elements.slice(0, MAX_TARGETS).map((one) => target(one, readComponent)),
    }),
  };
  return strike(captured, passwordValues());
}

function target(element: Element, readComponent: CaptureParts['readComponent']) {
  const { source } = readComponent(element);
  return {
    selector: selectorOf(element),
    elementPath: elementPathOf(element),
    boundingBox: pageBox(element),
    ...(source && { sourceFile: source.slice(0, 1_000) }),
  };
}

/** A box in page coordinates, or in window coordinates when the element does not scroll with the page. */
export function pageBox(element: Element, box: Box = windowBox(element)): Captured['boundingBox'] {
  const fixed = isFixed(element);
  const { x, y } = fixed ? box : { x: box.x + scrollX, y: box.y + scrollY };
  return { x: round(x), y: round(y), width: round(box.width), height: round(box.height), fixed };
}

function isFixed(element: Element): boolean {
  for (let at: Element | null = element; at !== null; at = parentOf(at)) {
    if (getComputedStyle(at).position === 'fixed') return true;
  }
  return false;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The window's size now. */
export function viewportNow(): Captured['viewport'] {
  return { width: innerWidth, height: innerHeight, pixelRatio: devicePixelRatio };
}
