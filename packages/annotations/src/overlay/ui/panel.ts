/** Owns the frame of every panel: its place, its focus, and the way back. */
import { h, icon } from './dom.ts';
import { ICONS } from './icons.ts';
import { focusedElement } from './root.ts';

export interface PanelSpec {
  readonly title: string;
  readonly isWide?: boolean;
  readonly lead?: Node | undefined;
  readonly body: readonly Node[];
  readonly footer?: readonly Node[];
  /** What the panel stands beside; absent: above the toolbar. */
  readonly anchor?: () => DOMRect | undefined;
  readonly onClose: () => void;
}

export interface Panel {
  readonly element: HTMLElement;
  readonly title: HTMLElement;
  /** Keeps Tab inside; returns false when focus was not its business. */
  trap(isBackwards: boolean): void;
  place(): void;
  /** Takes it away and gives focus back. */
  close(): void;
}

const GAP_PX = 12;
const EDGE_PX = 8;

/** Shows a panel and moves focus into it. */
export function openPanel(top: HTMLElement, spec: PanelSpec): Panel {
  const before = focusedElement();
  const title = h('h2', { id: 'parley-title', text: spec.title });
  const close = h(
    'button',
    { class: 'ghost', type: 'button', 'aria-label': 'Close', onclick: spec.onClose },
    icon(ICONS.close),
  );
  const element = h(
    'div',
    {
      class: spec.isWide ? 'panel wide' : 'panel',
      role: 'dialog',
      'aria-labelledby': 'parley-title',
      tabindex: '-1',
    },
    h('div', { class: 'head' }, spec.lead, title, close),
    h('div', { class: 'body' }, ...spec.body),
    spec.footer && h('div', { class: 'foot' }, ...spec.footer),
  );
  top.append(element);
  const place = (): void => placePanel(element, spec.anchor?.());
  place();
  const grown = new ResizeObserver(place);
  grown.observe(element);
  const first = element.querySelector<HTMLElement>('textarea, .body button, .body select, .body input');
  (first ?? close).focus({ preventScroll: true });
  return {
    element,
    title,
    place,
    trap: (isBackwards) => moveFocus(element, isBackwards),
    close() {
      grown.disconnect();
      element.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    },
  };
}

function moveFocus(panel: HTMLElement, isBackwards: boolean): void {
  const all = [
    ...panel.querySelectorAll<HTMLElement>('button, textarea, select, input, [tabindex="0"], summary'),
  ].filter((one) => !one.matches(':disabled') && one.offsetParent !== null && isTabStop(one));
  const at = all.indexOf(focusedElement() as HTMLElement); // others are simply not found
  const next = isBackwards ? (at <= 0 ? all.length - 1 : at - 1) : (at + 1) % all.length;
  all[next]?.focus();
}

// A group of radio buttons is one stop, at the one that is chosen.
function isTabStop(one: HTMLElement): boolean {
  return !(one instanceof HTMLInputElement) || one.type !== 'radio' || one.checked;
}

function placePanel(panel: HTMLElement, anchor: DOMRect | undefined): void {
  const { offsetWidth: width, offsetHeight: height } = panel;
  const clampX = (x: number): number => Math.max(EDGE_PX, Math.min(x, innerWidth - width - EDGE_PX));
  const clampY = (y: number): number => Math.max(EDGE_PX, Math.min(y, innerHeight - height - EDGE_PX));
  const move = (x: number, y: number): void => {
    panel.style.transform = `translate(${Math.round(clampX(x))}px, ${Math.round(clampY(y))}px)`;
  };
  if (anchor === undefined) return move(innerWidth - width - 16, innerHeight - height - 72);
  const right = anchor.right + GAP_PX;
  if (right + width + EDGE_PX <= innerWidth) return move(right, anchor.top);
  const left = anchor.left - GAP_PX - width;
  if (left >= EDGE_PX) return move(left, anchor.top);
  const below = anchor.bottom + GAP_PX;
  if (below + height + EDGE_PX <= innerHeight) return move(anchor.left, below);
  const above = anchor.top - GAP_PX - height;
  move(anchor.left, above >= EDGE_PX ? above : innerHeight - height - EDGE_PX);
}
