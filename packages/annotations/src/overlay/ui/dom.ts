/** Owns making elements without markup strings, so that strict content policies have nothing to refuse. */

type EventHandler = () => void;

/** Attributes, with `text` and click handler as the two common extras. */
export interface Props {
  readonly class?: string;
  readonly text?: string;
  readonly hidden?: boolean;
  readonly disabled?: boolean;
  readonly checked?: boolean;
  readonly value?: string;
  readonly onclick?: EventHandler;
  readonly onchange?: EventHandler;
  readonly [attribute: string]: string | boolean | EventHandler | undefined;
}

/** Makes one element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: (Node | string | null | false | undefined)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), () => value());
    else if (name === 'text') element.textContent = String(value);
    // Only fields are given a value.
    else if (name === 'value') (element as unknown as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Makes a 16 px line icon from path data. */
export function icon(path: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon');
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}
