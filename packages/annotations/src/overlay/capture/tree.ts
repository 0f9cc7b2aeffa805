/** Owns walking the page's tree across open shadow roots and same-origin frames. */

/** Where selectors start: a document or an open shadow root. */
export type Root = Document | ShadowRoot;

/** The root that holds an element. */
export function rootOf(element: Element): Root {
  return element.getRootNode() as Root; // connected elements have one of the two
}

/** The element that a root hangs on: a shadow host, a frame, or none for the page itself. */
export function hostOf(root: Root): Element | null {
  if ('host' in root) return root.host;
  try {
    return root.defaultView?.frameElement ?? null;
  } catch {
    return null;
  }
}

/** The parent as a person sees it, out of shadow roots and frames too. */
export function parentOf(element: Element): Element | null {
  return element.parentElement ?? hostOf(rootOf(element));
}

/** The root inside an element: its open shadow root or the document of a same-origin frame. */
export function innerRoot(element: Element): Root | null {
  if (element.shadowRoot) return element.shadowRoot;
  if (element.localName !== 'iframe' && element.localName !== 'frame') return null;
  try {
    return (element as HTMLIFrameElement).contentDocument; // the tag says so
  } catch {
    return null;
  }
}

/** The elements a person can walk into from here. */
export function childrenOf(element: Element): Element[] {
  const root = innerRoot(element);
  const inner = root === null ? [] : 'host' in root ? [...root.children] : [root.body];
  return [...inner, ...element.children].filter(isWalkable);
}

const UNSEEN = new Set(['script', 'style', 'link', 'meta', 'template', 'noscript', 'br', 'head']);

/** Tells whether an element can be seen and is not part of the overlay. */
export function isWalkable(element: Element): boolean {
  if (UNSEEN.has(element.localName) || isOverlay(element)) return false;
  const { width, height } = element.getBoundingClientRect();
  return width > 0 || height > 0 || element.children.length > 0;
}

/** The attribute that marks the overlay's own host element. */
export const HOST_MARK = 'data-parley-overlay';

/** Tells whether an element is the overlay's own host. */
export function isOverlay(element: Element): boolean {
  return element.hasAttribute(HOST_MARK);
}

/** Tells whether an element is on the page only because of the overlay: its host, or a script that brings it. */
export function isOwnPart(element: Element): boolean {
  const source = element.localName === 'script' ? element.getAttribute('src') : null;
  return isOverlay(element) || (source !== null && OWN_SCRIPT.test(source));
}

const OWN_SCRIPT = /\/(__parley|@parley)\/overlay\.js/;

/** The innermost page element at a point of the window, or null over the overlay and beyond the page. */
export function elementAt(x: number, y: number, root: Root = document): Element | null {
  for (const found of root.elementsFromPoint(x, y)) {
    if (isOverlay(found)) continue;
    // A shadow root answers with elements outside itself when nothing inside is hit.
    if (rootOf(found) !== root) return null;
    const inner = innerRoot(found);
    if (inner === null || inner === root) return found;
    const offset = 'host' in inner ? { x: 0, y: 0 } : frameOffset(found);
    return elementAt(x - offset.x, y - offset.y, inner) ?? found;
  }
  return null;
}

function frameOffset(frame: Element): { x: number; y: number } {
  const box = frame.getBoundingClientRect();
  return { x: box.x + frame.clientLeft, y: box.y + frame.clientTop };
}

/** An element's box in the coordinates of the outer window. */
export function windowBox(element: Element): DOMRect {
  const box = element.getBoundingClientRect();
  for (let view = element.ownerDocument.defaultView; view && view !== window;) {
    const frame: Element | null = view.frameElement;
    if (frame === null) break;
    const offset = frameOffset(frame);
    box.x += offset.x;
    box.y += offset.y;
    view = frame.ownerDocument.defaultView;
  }
  return box;
}

/** Every page element of one tag, in open shadow roots and frames too, at most `limit`. */
export function allByTag(tag: string, limit: number, root: Root = document): Element[] {
  const found = [...root.querySelectorAll(tag)].filter((element) => !isOverlay(element)).slice(0, limit);
  for (const element of root.querySelectorAll('*')) {
    if (found.length >= limit) break;
    if (isOverlay(element)) continue;
    const inner = innerRoot(element);
    if (inner !== null) found.push(...allByTag(tag, limit - found.length, inner));
  }
  return found;
}
