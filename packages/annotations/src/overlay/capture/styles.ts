/** Owns the computed styles of an element that differ from its tag's default. */

const PROPERTIES = [
  'display', 'position', 'top', 'right', 'bottom', 'left', 'z-index', 'float', 'box-sizing', 'width', 'height',
  'min-width', 'max-width', 'min-height', 'max-height', 'margin-top', 'margin-right', 'margin-bottom',
  'margin-left', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left', 'flex-direction', 'flex-wrap',
  'flex-grow', 'flex-shrink', 'flex-basis', 'justify-content', 'align-items', 'align-self', 'gap',
  'grid-template-columns', 'grid-template-rows', 'grid-area', 'overflow-x', 'overflow-y', 'color',
  'background-color', 'background-image', 'border-top', 'border-right', 'border-bottom', 'border-left',
  'border-radius', 'box-shadow', 'opacity', 'visibility', 'transform', 'font-family', 'font-size', 'font-weight',
  'font-style', 'line-height', 'letter-spacing', 'text-align', 'text-transform', 'text-decoration-line',
  'white-space', 'cursor',
] as const; // prettier-ignore

// Tags that load or run something when they are made only to be looked at.
const ACTIVE = /-|^(iframe|frame|script|video|audio|object|embed|link|style|img|source|portal)$/;

/** At most 60 properties; `shelf` is a place in the overlay's own root where no page style reaches. */
export function stylesOf(element: Element, shelf: Element): Record<string, string> {
  const tag = ACTIVE.test(element.localName) ? 'div' : element.localName;
  const plain = document.createElement(tag);
  shelf.append(plain);
  const defaults = getComputedStyle(plain);
  const actual = getComputedStyle(element);
  const kept: Record<string, string> = {};
  for (const name of PROPERTIES) {
    const value = actual.getPropertyValue(name);
    if (value !== defaults.getPropertyValue(name)) kept[name] = value.slice(0, 200);
  }
  plain.remove();
  return kept;
}
